import { type RelayError, renderError, TASK_CODECS } from '@tollgate/protocols';
import { apiAnswerHeaders } from '../front-door/request-id.ts';
import type { ClientRequest, ClientResponse } from './client-exchange.ts';
import type { RelayRequest } from './relay-request.ts';

/** Unread request bytes up to this are taken in and thrown away; beyond it the connection is closed instead. */
const DRAIN_BYTES = 1024 * 1024;
/** Before that, what still comes is thrown away for so long, or up to so much. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 64 * 1024 * 1024;

/** Answers with an error in the envelope of the caller's protocol. */
export function sendError(
  {
    incoming,
    response,
    protocol,
    requestId,
    task,
  }: Pick<RelayRequest, 'incoming' | 'response' | 'protocol' | 'requestId' | 'task'>,
  error: RelayError,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const rendered = renderError(protocol, error, requestId, task && TASK_CODECS[task.task].errorMembers);
  const drains =
    error.kind !== 'request_timeout' && Number(incoming.headers['content-length'] ?? Infinity) <= DRAIN_BYTES;
  const unread = !incoming.complete && !drains;
  const closes = unread && incoming.method === 'POST';
  response.writeHead(rendered.status, {
    ...headers,
    ...rendered.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(rendered.body)),
    ...apiAnswerHeaders(requestId),
    ...(closes ? { connection: 'close' } : {}),
  });
  if (!closes) return void response.end(rendered.body);
  response.write(rendered.body);
  endAfterRest(incoming, response);
}

/**
 * Closes the connection once its client has sent the rest. One that is closed over bytes that nobody read is reset, and a
 * client that still sends may lose the answer by that (RFC 9112, 9.6).
 */
function endAfterRest(request: ClientRequest, response: ClientResponse): void {
  let rest = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', count).off('end', end).off('close', end);
    response.end();
  };
  const count = (chunk: Buffer) => {
    rest += chunk.length;
    if (rest > LINGER_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request
    .on('data', count)
    .once('end', end)
    .once('close', end)
    .on('error', () => {});
  request.resume();
}
