import { httpError } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';

/**
 * Refuses what another site could make a browser send: a page there can send a form with our cookie, but neither
 * JSON nor our Origin.
 */
export function mustBeSameSite(request: FastifyRequest): void {
  const { origin } = request.headers;
  const host = request.headers['x-forwarded-host'] ?? request.host;
  if (origin !== undefined && URL.parse(origin)?.host !== host) {
    throw httpError(403, 'The Origin of this request is another site.');
  }
  const type = request.headers['content-type'];
  if (type === undefined ? request.method !== 'DELETE' : !type.startsWith('application/json')) {
    throw httpError(400, 'Send Content-Type: application/json.');
  }
}
