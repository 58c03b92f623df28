import type { IncomingHttpHeaders } from 'node:http';
import { relayError, type RelayError } from '@tollgate/protocols';

const HEADER = 'idempotency-key';
const MAX_CHARACTERS = 255;

type PresentedIdempotencyKey =
  | { readonly ok: true; readonly value: string | undefined }
  | { readonly ok: false; readonly error: RelayError };

/** The Idempotency-Key of a request, if it has one: 1 to 255 visible ASCII characters and spaces. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): PresentedIdempotencyKey {
  const value = headers[HEADER];
  if (value === undefined) return { ok: true, value };
  if (
    typeof value === 'string' &&
    value.length <= MAX_CHARACTERS &&
    /^[\x21-\x7e](?:[\x20-\x7e]*)$/.test(value)
  )
    return { ok: true, value };
  const message = `The Idempotency-Key must have 1 to ${MAX_CHARACTERS} visible ASCII characters.`;
  return { ok: false, error: relayError('invalid_request', message, { param: HEADER }) };
}
