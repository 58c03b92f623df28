import type { FastifyInstance } from 'fastify';

/** Leaves `text/csv` bodies unread, as streams. */
export function passCsvOn(fastify: FastifyInstance): void {
  fastify.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));
}
