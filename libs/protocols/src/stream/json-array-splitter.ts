/** A piece of a streamed JSON array. */
export interface ArrayPiece {
  readonly raw: Buffer;
  /** The element's text; undefined for brackets, commas and white space between elements. */
  readonly element: string | undefined;
}

export interface JsonArraySplitter {
  push(chunk: Buffer): ArrayPiece[];
  /** What is left at the end: the rest of a broken stream. */
  flush(): ArrayPiece[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Cuts a JSON array of objects, arriving in pieces cut anywhere, into its elements and what stands between them. */
export function createJsonArraySplitter(): JsonArraySplitter {
  let pending: Buffer = Buffer.alloc(0);
  let scanned = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;

  const take = (end: number, isElement: boolean): ArrayPiece => {
    const raw = pending.subarray(0, end);
    pending = pending.subarray(end);
    scanned = 0;
    return { raw, element: isElement ? raw.toString('utf8') : undefined };
  };

  return {
    push(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const pieces: ArrayPiece[] = [];
      while (scanned < pending.length) {
        const byte = pending[scanned];
        scanned += 1;
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) {
          inString = true;
        } else if (byte === 0x7b) {
          if (depth === 0 && scanned > 1) {
            pieces.push(take(scanned - 1, false));
            scanned = 1;
          }
          depth += 1;
        } else if (byte === 0x7d) {
          depth -= 1;
          if (depth === 0) pieces.push(take(scanned, true));
        }
      }
      if (depth === 0 && pending.length > 0) pieces.push(take(pending.length, false));
      return pieces;
    },
    flush: () => (pending.length === 0 ? [] : [take(pending.length, false)]),
  };
}
