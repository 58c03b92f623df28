import type { FastifyRequest } from 'fastify';
import { httpError } from './http-errors.ts';

/**
 * Refuses what a page of another site could make a browser send with our cookie: such a page can send a form, but
 * neither JSON nor our Origin.
 *
 * @param bodyType that the route takes: none that a form can send; null for a route that takes no body.
 * @throws HttpException 403 or 400.
 */
export function requireSameSite(request: FastifyRequest, bodyType: string | null = 'application/json'): void {
  const { origin } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== request.host) {
    throw httpError(403, 'The Origin of this request is another site.', null, 'wrong_origin');
  }
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const needsType = bodyType !== null && request.method !== 'DELETE';
  const expected = bodyType ?? 'application/json';
  if (type === undefined ? needsType : type !== expected) {
    throw httpError(400, `Send Content-Type: ${expected}.`, null, 'wrong_content_type', { expected });
  }
}
