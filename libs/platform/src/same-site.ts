import type { FastifyRequest } from 'fastify';
import { httpError } from './http-errors.ts';

/**
 * Refuses what a page of another site could make a browser send with our cookie: such a page can send a form, but
 * neither JSON nor our Origin.
 *
 * @param bodyType that the route takes; none that a form can send.
 * @throws HttpException 403 or 400.
 */
export function requireSameSite(request: FastifyRequest, bodyType = 'application/json'): void {
  const { origin } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== request.host) {
    throw httpError(403, 'The Origin of this request is another site.');
  }
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === undefined ? request.method !== 'DELETE' : type !== bodyType) {
    throw httpError(400, `Send Content-Type: ${bodyType}.`);
  }
}
