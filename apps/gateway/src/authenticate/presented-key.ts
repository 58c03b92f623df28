import type { IncomingHttpHeaders } from 'node:http';

type PresentedKey =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'conflict' };

/**
 * The API key a request carries. Clients of every style may send it in any style's place: `Authorization` (with
 * or without `Bearer`), `x-api-key`, `x-goog-api-key` or `?key=`. An empty place is passed over: some clients
 * send an empty header beside a full one. Two different keys are a conflict rather than a guess.
 */
export function readPresentedKey(headers: IncomingHttpHeaders, queryKey: string | undefined): PresentedKey {
  const keys = [
    bearer(headers.authorization),
    single(headers['x-api-key']),
    single(headers['x-goog-api-key']),
    queryKey?.trim(),
  ].filter((key): key is string => key !== undefined && key !== '');
  const [first] = keys;
  if (first === undefined) return { kind: 'none' };
  return keys.every((key) => key === first) ? { kind: 'key', key: first } : { kind: 'conflict' };
}

function bearer(header: string | undefined): string | undefined {
  return header
    ?.trim()
    .replace(/^bearer(?:\s+|$)/i, '')
    .trim();
}

function single(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}
