type ByteRange =
  /** Both ends included. */
  | { readonly how: 'part'; readonly start: number; readonly end: number }
  | { readonly how: 'whole' }
  | { readonly how: 'unsatisfiable' };

/** What a Range header (RFC 9110) asks of a file; several ranges, other units and nonsense mean the whole of it. */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return { how: 'whole' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { how: 'unsatisfiable' } : { how: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return { how: 'whole' };
  return start >= size ? { how: 'unsatisfiable' } : { how: 'part', start, end };
}
