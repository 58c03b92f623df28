import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Protocol } from '@tollgate/contracts';
import { type RelayError, renderError } from '@tollgate/protocols';

/** Unread request bytes up to this are taken in and thrown away; beyond it the connection is closed instead. */
const DRAIN_BYTES = 1024 * 1024;

/** Answers with an error in the envelope of the caller's protocol. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  protocol: Protocol,
  error: RelayError,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const rendered = renderError(protocol, error, requestId);
  const drains =
    error.kind !== 'request_timeout' && Number(request.headers['content-length'] ?? Infinity) <= DRAIN_BYTES;
  const unread = !request.complete && !drains;
  response.writeHead(rendered.status, {
    ...headers,
    ...rendered.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(rendered.body)),
    'x-request-id': requestId,
    'request-id': requestId,
    ...(unread && request.method === 'POST' ? { connection: 'close' } : {}),
  });
  response.end(rendered.body);
}
