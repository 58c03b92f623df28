import { NO_JOBS } from '../../testing/jobs.ts';
import { PassThrough } from 'node:stream';
import { createLogger, createMetrics } from '@tollgate/platform';
import Fastify from 'fastify';
import { createRequestMetrics } from '../telemetry/request-metrics.ts';
import type { RelayDependencies } from './relay-request.ts';
import { relayRoutes } from './relay-routes.ts';

const fails = (): never => {
  throw new Error('nobody foresaw this');
};

test("a failure that nobody foresaw is answered in the caller's protocol, logged with the request's id, and counted", async () => {
  let log = '';
  const lines = new PassThrough({ encoding: 'utf8' });
  lines.on('data', (text: string) => (log += text));
  const registry = createMetrics('gateway');
  const deps: RelayDependencies = {
    keys: { find: fails, holds: fails, canFind: fails, forget: fails },
    wrongKeys: { blockedMs: fails, count: fails },
    limiter: {
      degraded: false,
      admit: fails,
      settle: fails,
      admitOnCredit: fails,
      settleCredit: fails,
      close: fails,
    },
    loadCredit: fails,
    refusals: { note: fails, find: fails },
    bodyMemory: { lease: fails, heldBytes: 0 },
    uploads: { directory: '', disk: { lease: fails, heldBytes: 0 } },
    table: fails,
    hops: { refusal: fails, next: fails },
    passHeaders: new Set(),
    publisher: { publish: fails },
    storesUsage: fails,
    statePlaces: { remember: fails, find: fails },
    backgroundJobs: NO_JOBS,
    keptResponses: { maxBytes: 1, keep: fails, findAnswer: fails, findQuestion: fails },
    idempotency: { begin: fails, idle: fails },
    departures: { watch: fails },
    unseenReasoning: { note: fails, isKnownOf: fails },
    states: { wrap: fails, unwrap: fails },
    storedIds: { wrap: fails, unwrap: fails },
    telemetry: {
      metrics: createRequestMetrics(registry),
      tracer: undefined,
      logger: createLogger('gateway', 'info', lines),
      requests: { ended() {} },
    },
    limits: {
      bodyLimitBytes: 1,
      bodyValues: 1,
      uploadLimitBytes: 1,
      uploadLimits: {},
      uploadStallMs: 1_000,
      uploadTimeoutMs: 60_000,
      bodyBytesPerS: 1,
      answerLimitBytes: 1,
      eventLimitBytes: 1,
      keepAliveMs: 1_000,
    },
  };
  const door = Fastify({ genReqId: () => 'req_of_this_test' });
  relayRoutes(door, deps);
  const url = await door.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': `sk-${'a'.repeat(48)}` },
    body: '{}',
  });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  await door.close();
  expect(JSON.parse(log)).toMatchObject({
    level: 50,
    request_id: 'req_of_this_test',
    event: 'request_failed',
    msg: 'a request failed',
    err: { message: 'nobody foresaw this' },
  });
  const text = await registry.metrics();
  expect(text).toContain('tollgate_gateway_requests_in_flight{service="gateway"} 0');
  expect(text).toContain(
    'tollgate_gateway_requests_total{protocol="anthropic-messages",status="500",outcome="refused",service="gateway"} 1',
  );
});
