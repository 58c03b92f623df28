import type { IncomingMessage } from 'node:http';
import { relayError, type RelayError } from '@tollgate/protocols';

export type ReadBody =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly error: RelayError }
  | { readonly ok: 'gone' };

/** Reads the whole JSON body of a request; it is read only after the caller's key was found good. */
export async function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return refuse(
      'invalid_request',
      `The Content-Type is "${type.slice(0, 100)}"; send application/json.`,
      'content-type',
    );
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return refuse(
      'invalid_request',
      `The Content-Encoding "${encoding.slice(0, 40)}" is not supported; send the body uncompressed.`,
      'content-encoding',
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge(limit);

  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) return tooLarge(limit);
      chunks.push(chunk);
    }
  } catch {
    return { ok: 'gone' };
  }
  return { ok: true, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length) };
}

const tooLarge = (limit: number): ReadBody =>
  refuse('payload_too_large', `The request body is larger than the ${limit} bytes that are accepted.`);

const refuse = (
  kind: 'invalid_request' | 'payload_too_large',
  message: string,
  param?: string,
): ReadBody => ({
  ok: false,
  error: relayError(kind, message, param === undefined ? {} : { param }),
});
