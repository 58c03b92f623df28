import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * The metrics of one service in this process, with those of Node itself.
 *
 * @param more labels of every sample beside `service`.
 */
export function createMetrics(service: string, more: Readonly<Record<string, string>> = {}): Registry {
  const metrics = new Registry();
  metrics.setDefaultLabels({ service, ...more });
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

/** `/metrics` for Prometheus, on the service's own port: it is no part of `/api`, which the front door passes on. */
export function serveMetrics(fastify: FastifyInstance, metrics: Registry): void {
  fastify.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );
}
