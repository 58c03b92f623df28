import { type DecodedRequest, decodeRequest, type RelayError } from '@tollgate/protocols';
import type { Call } from './call.ts';
import { type BodyLimits, readBody } from './read-body.ts';

export type Received =
  | (Omit<Extract<DecodedRequest, { ok: true }>, 'body' | 'bytes'> & {
      /** The body as upstreams are to read it, and parsed. */
      readonly bytes: Buffer;
      readonly json: Readonly<Record<string, unknown>>;
    })
  | { readonly ok: false; readonly error: RelayError }
  | { readonly ok: 'gone' };

/** Reads the request's body and checks it against the interface. */
export async function receive(call: Call, limits: BodyLimits): Promise<Received> {
  const read = await readBody(call.request, limits);
  if (read.ok !== true) return read;
  const decoded = decodeRequest(call.protocol, read.body, call.pathModel, call.action);
  return decoded.ok
    ? { ok: true, request: decoded.request, bytes: decoded.bytes, json: decoded.body }
    : decoded;
}
