import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { serveLoggedFaults } from './logged-faults.ts';
import { errorBody } from './http-errors.ts';
import type { MetricsAccess } from './metrics-access.ts';

/** How often the event loop is asked whether it is late. Each time wakes a process that has nothing to do; a hundred a second took 3.9 ms of CPU. */
const LOOP_LOOK_MS = 50;

/**
 * The metrics of one service in this process, with those of Node itself.
 *
 * @param more labels of every sample beside `service`.
 */
export function createMetrics(service: string, more: Readonly<Record<string, string>> = {}): Registry {
  const metrics = new Registry();
  metrics.setDefaultLabels({ service, ...more });
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  serveLoggedFaults(metrics);
  return metrics;
}

/**
 * `/metrics` for Prometheus, on the service's own port: it is no part of `/api`, which the front door passes on. Whoever may
 * not read them is told that there is no such page.
 */
export function serveMetrics(
  fastify: FastifyInstance,
  metrics: Pick<Registry, 'contentType' | 'metrics'>,
  mayRead: MetricsAccess,
  refuse = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.code(404).send(errorBody(404, 'Invalid URL (GET /metrics)', null, 'not_found')),
): void {
  fastify.get('/metrics', async (request, reply) => {
    if (!mayRead(request)) return refuse(request, reply);
    return reply.header('content-type', metrics.contentType).send(await metrics.metrics());
  });
}
