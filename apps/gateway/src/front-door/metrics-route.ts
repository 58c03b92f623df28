import { classifyAddress } from '@tollgate/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MetricsPage } from '../cores/scrape-all.ts';
import { answerUnknownPath } from './not-found.ts';

/**
 * `/metrics` for a Prometheus that stands inside. The gateway is the front door, so whoever comes from a public address,
 * or through a proxy, is told that there is no such page.
 */
export function metricsRoute(fastify: FastifyInstance, metrics: MetricsPage): void {
  fastify.get('/metrics', async (request, reply) => {
    if (!comesFromInside(request)) return answerUnknownPath(request, reply);
    return reply.header('content-type', metrics.contentType).send(await metrics.metrics());
  });
}

const INSIDE = new Set(['loopback', 'private', 'carrier-nat']);

function comesFromInside({ headers, raw }: FastifyRequest): boolean {
  const forwarded = headers['x-forwarded-for'] ?? headers['forwarded'] ?? headers['via'];
  return forwarded === undefined && INSIDE.has(classifyAddress(raw.socket.remoteAddress ?? ''));
}
