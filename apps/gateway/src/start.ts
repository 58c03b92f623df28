import { createResilientLimiter } from '@tollgate/limits';
import {
  close,
  connectRedis,
  createLogger,
  createMetrics,
  createRequestReplyClient,
  disconnect,
  type Logger,
  type RequestReplyClient,
  requireWritable,
  type RunningService,
  startTracing,
  stop,
  toKeyring,
  VERSION,
  waitUntilConnected,
} from '@tollgate/platform';
import type { Registry } from 'prom-client';
import { SINGLE, type Worker } from './cluster/worker.ts';
import type { GatewayConfig } from './config.ts';
import { STARTED_AT_MS } from './front-door/status.ts';
import { startGatewayReport } from './health/gateway-report.ts';
import { createRequestLog } from './request-log/request-log.ts';
import { followControlPlane } from './start-control-plane.ts';
import { startHttp } from './start-http.ts';
import { type Relay, startRelay } from './start-relay.ts';
import { startUsagePipeline } from './start-usage.ts';
import { serveSpoolMetrics } from './telemetry/spool-metrics.ts';
import { serveStateMetrics } from './telemetry/state-metrics.ts';
import { serveUpstreamMetrics } from './telemetry/upstream-metrics.ts';
import { createUpstreamClients } from './upstreams/upstream-clients.ts';

/**
 * Starts a gateway. It is ready once it holds a price snapshot. What was started is stopped in reverse order, also when a later
 * part fails to start. Nest closes its server and owns nothing else here.
 *
 * @param worker which of several processes behind one port this is; each of them is a gateway of its own.
 */
export async function startGateway(config: GatewayConfig, worker: Worker = SINGLE): Promise<RunningService> {
  const inProcess = worker.of > 1 ? { process: String(worker.number) } : {};
  // Before anything is waited for that may not be there: what is wrong with the disk is said at once.
  await requireWritable('SPOOL_DIR', config.SPOOL_DIR);
  await requireWritable('UPLOAD_DIR', config.UPLOAD_DIR);
  const logger = createLogger('gateway', config.LOG_LEVEL).child(inProcess);
  await using started = new AsyncDisposableStack();
  const tracing = await startTracing('gateway', config, 'edge', logger);
  started.defer(() => tracing?.close());
  const tracer = tracing?.tracer;
  const connect = (timeoutMs: number) =>
    started.adopt(connectRedis(config.REDIS_URL, logger, { timeoutMs }), disconnect);
  const ask = (url: string) => started.adopt(createRequestReplyClient(url, config.SERVICE_SECRETS), close);
  const queueRedis = connect(2_000);
  const redis = connect(config.REDIS_TIMEOUT_MS);
  const ambientHosts = config.AMBIENT_IDENTITY_HOSTS;
  const clients = started.adopt(createUpstreamClients(toKeyring(config), { ambientHosts, logger }), close);
  const pricing = ask(config.PRICING_TCP_URL);
  const billing = ask(config.BILLING_TCP_URL);

  const control = started.use(
    await followControlPlane({ config, worker, redis, clients, pricing, billing, logger, tracer }),
  );
  const { keys, snapshots, table, upstreams } = control;
  const limiter = started.adopt(createResilientLimiter(redis, { timeoutMs: config.REDIS_TIMEOUT_MS }), close);
  const usage = started.use(
    await startUsagePipeline({
      directory: config.SPOOL_DIR,
      worker,
      redis: queueRedis,
      billing,
      shards: config.USAGE_QUEUE_SHARDS,
      logger,
    }),
  );
  const report = () => describeGateway(control, usage);
  started.adopt(startGatewayReport({ redis, report }), close);
  const metrics = createMetrics('gateway', inProcess);
  const requests = started.adopt(openRequestLog(config, ask, metrics, logger), close);
  const relay = started.use(
    await startRelay({
      config,
      redis,
      billing,
      limiter,
      keys,
      table,
      health: upstreams.registry,
      publisher: usage.publisher,
      metrics,
      tracer,
      logger,
      requests,
    }),
  );
  serveUpstreamMetrics(metrics, table, upstreams.registry);
  const { sockets, departures } = relay;
  serveStateMetrics(metrics, { snapshots, limiter, sockets, departures });
  serveSpoolMetrics(metrics, usage);

  // The first requests are limited over all gateways too.
  await waitUntilConnected(redis, 1_000);
  const http = { config, logger, metrics, relay: relay.deps, sockets, sharesPort: worker.of > 1 };
  const service = started.adopt(await startHttp(http), stop);
  const resources = started.move();
  return endInOrder(service, relay, resources);
}

/** What the console shows of it. */
const describeGateway = (
  { upstreams, table }: Awaited<ReturnType<typeof followControlPlane>>,
  { spool, orphaned, publisher }: Awaited<ReturnType<typeof startUsagePipeline>>,
) => ({
  gateway: upstreams.self,
  started_at: STARTED_AT_MS,
  version: VERSION,
  snapshot_version: table()?.version ?? null,
  spool_files: spool.segments().length + orphaned.segments().length,
  pending_events: publisher.pending(),
});

/** It has a connection of its own to billing: what usage and keys need never waits behind it. */
const openRequestLog = (
  { BILLING_TCP_URL, REQUEST_LOG_PER_MINUTE: perMinute }: GatewayConfig,
  ask: (url: string) => RequestReplyClient,
  metrics: Registry,
  logger: Logger,
) => createRequestLog({ billing: ask(BILLING_TCP_URL), perMinute, metrics, logger });

/** Who is connected is told before the services end that their requests need. */
const endInOrder = (
  service: RunningService,
  { sockets, departures }: Relay,
  resources: AsyncDisposableStack,
): RunningService => ({
  ...service,
  drain() {
    service.drain();
    sockets.drain();
  },
  stop() {
    sockets.drain();
    // From here on nobody is read on for: what is, ends, and is charged.
    departures.stop();
    return resources.disposeAsync();
  },
});
