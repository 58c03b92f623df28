import { type RelayError, renderError } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import type { FastifyReply } from 'fastify';

/**
 * Answers a request that is not relayed with an error, in the envelope of a protocol.
 *
 * @param status in place of the one that errors of this kind have.
 */
export function replyError(
  reply: FastifyReply,
  protocol: ClientProtocol,
  error: RelayError,
  status?: number,
): FastifyReply {
  const rendered = renderError(protocol, error, reply.request.id);
  return reply
    .code(status ?? rendered.status)
    .headers({ ...rendered.headers, 'content-type': 'application/json; charset=utf-8' })
    .send(rendered.body);
}
