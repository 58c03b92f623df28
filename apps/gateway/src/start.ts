import { EVENT, keyChangedSchema, snapshotPublishedSchema, upstreamTestSchema } from '@tollgate/contracts';
import { createResilientLimiter } from '@tollgate/limits';
import {
  connectRedis,
  createLogger,
  createMetrics,
  createRequestReplyClient,
  Health,
  toKeyring,
  metricsAccess,
  onEvent,
  type RunningService,
  serveMetrics,
  startService,
  startTracing,
  subscribeEvents,
  waitUntilConnected,
} from '@tollgate/platform';
import { createStateWrapper, createStoredIds } from '@tollgate/protocols';
import { createCreditLoader } from './admit/credit-loader.ts';
import { createRefusals } from './admit/refusals.ts';
import { createKeyLookups } from './authenticate/key-lookups.ts';
import { createKeyRecords } from './authenticate/key-records.ts';
import { createWrongKeys } from './authenticate/wrong-keys.ts';
import type { GatewayConfig } from './config.ts';
import { SINGLE, type Worker } from './cluster/worker.ts';
import { scrapeAll } from './cluster/scrape-all.ts';
import { untilPriced } from './cluster/until-priced.ts';
import { proxyApi } from './front-door/api-proxy.ts';
import { createBrokenRequests } from './front-door/broken-requests.ts';
import { limitConnections } from './front-door/connection-limit.ts';
import { serveConsole } from './front-door/console.ts';
import { answerFrameworkError, answerUnknownPath, serveUnknownPaths } from './front-door/not-found.ts';
import { serveRelayDocument } from './front-door/relay-document.ts';
import { guardRequests } from './front-door/request-guard.ts';
import { STARTED_AT_MS, statusRoutes, VERSION } from './front-door/status.ts';
import { createHops } from './forward/hops.ts';
import { GatewayModule } from './gateway.module.ts';
import { startGatewayReport } from './health/gateway-report.ts';
import { startUpstreamHealth } from './upstreams/upstream-health.ts';
import { createUpstreamTests } from './upstreams/upstream-tests.ts';
import { modelRoutes } from './models/model-routes.ts';
import { createLeases } from './idempotency/leases.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createKeptBytes } from './idempotency/kept-bytes.ts';
import { createKeptResponses, createKeptResponsesQuota } from './kept-responses/kept-responses.ts';
import { createBodyMemory } from './body/body-memory.ts';
import { createStatePlaces } from './reasoning/state-places.ts';
import { createDepartures } from './relay/departures.ts';
import { relayRoutes } from './relay/relay-routes.ts';
import { newRequestId } from './front-door/request-id.ts';
import { createUnseenReasoning } from './relay/unseen-reasoning.ts';
import { createTableDependencies } from './route/routing-table.ts';
import { createSnapshots } from './route/snapshots.ts';
import { createUpstreamClients } from './upstreams/upstream-clients.ts';
import { startUsagePipeline } from './start-usage.ts';
import { createRequestMetrics } from './telemetry/request-metrics.ts';
import { serveSpoolMetrics } from './telemetry/spool-metrics.ts';
import { serveStateMetrics } from './telemetry/state-metrics.ts';
import { serveUpstreamMetrics } from './telemetry/upstream-metrics.ts';

/** A gateway that is killed holds up who repeats its requests for so long. */
const IDEMPOTENCY_LEASE_MS = 10_000;

/**
 * Starts a gateway; it is ready once it holds a price snapshot. What is started is stopped in reverse order, also where
 * a later part cannot start. Nest closes its server, and owns nothing else here.
 *
 * @param worker which process it is of several that share the port: each is a gateway of its own.
 */
export async function startGateway(config: GatewayConfig, worker: Worker = SINGLE): Promise<RunningService> {
  const isOneOfSeveral = worker.of > 1;
  const inProcess = isOneOfSeveral ? { process: String(worker.number) } : {};
  const logger = createLogger('gateway', config.LOG_LEVEL).child(inProcess);
  await using started = new AsyncDisposableStack();
  const tracing = await startTracing('gateway', config, 'edge', logger);
  started.defer(() => tracing?.close());
  const queueRedis = started.adopt(
    connectRedis(config.REDIS_URL, logger, { timeoutMs: 2_000 }),
    (connection) => connection.disconnect(),
  );
  const redis = started.adopt(
    connectRedis(config.REDIS_URL, logger, { timeoutMs: config.REDIS_TIMEOUT_MS }),
    (connection) => connection.disconnect(),
  );
  const clients = started.adopt(createUpstreamClients(toKeyring(config)), close);
  const pricing = started.adopt(
    createRequestReplyClient(config.PRICING_TCP_URL, config.SERVICE_SECRETS),
    close,
  );
  const billing = started.adopt(
    createRequestReplyClient(config.BILLING_TCP_URL, config.SERVICE_SECRETS),
    close,
  );

  const upstreams = started.adopt(
    startUpstreamHealth({ port: config.PORT, worker, redis, logger, table: () => snapshots.current() }),
    close,
  );
  const tableDependencies = createTableDependencies(upstreams.registry);
  const snapshots = started.adopt(
    createSnapshots({
      redis,
      pricing,
      clients,
      dependencies: tableDependencies,
      logger,
      tracer: tracing?.tracer,
    }),
    close,
  );
  const lookups = started.adopt(createKeyLookups(billing), close);
  const keys = createKeyRecords({ redis, lookups, changesAreHeard: () => events.fresh(), logger });
  const testUpstream = createUpstreamTests({
    self: upstreams.self,
    redis,
    logger,
    table: () => snapshots.current(),
    refresh: () => snapshots.refresh(),
  });
  const events = started.adopt(
    subscribeEvents(
      config.REDIS_URL,
      logger,
      {
        [EVENT.keyChanged]: onEvent(keyChangedSchema, ({ key_hash }) => keys.forget(key_hash)),
        [EVENT.snapshotPublished]: onEvent(snapshotPublishedSchema, ({ traceparent }) =>
          snapshots.refresh(traceparent),
        ),
        [EVENT.upstreamTest]: onEvent(upstreamTestSchema, testUpstream),
        ...upstreams.handlers,
      },
      () => {
        keys.forget();
        void snapshots.refresh().then(() => upstreams.catchUp());
      },
    ),
    close,
  );
  const limiter = started.adopt(createResilientLimiter(redis, { timeoutMs: config.REDIS_TIMEOUT_MS }), close);
  const wrongKeys = createWrongKeys(limiter, config.WRONG_KEYS_PER_MINUTE);
  const table = () => snapshots.current();
  started.adopt(
    startGatewayReport({
      redis,
      report: () => ({
        gateway: upstreams.self,
        started_at: STARTED_AT_MS,
        version: VERSION,
        snapshot_version: table()?.version ?? null,
        spool_files: usage.spool.segments().length + usage.orphaned.segments().length,
        pending_events: usage.publisher.pending(),
      }),
    }),
    close,
  );
  const usage = started.use(
    await startUsagePipeline({ directory: config.SPOOL_DIR, worker, redis: queueRedis, billing, logger }),
  );
  const keptBytes = createKeptBytes(redis, {
    name: 'idempotency',
    perAccount: config.IDEMPOTENCY_ACCOUNT_BYTES,
    inAll: config.IDEMPOTENCY_BYTES,
    ttlMs: config.IDEMPOTENCY_TTL_S * 1_000,
  });
  const idempotency = createIdempotency(createLeases(redis, IDEMPOTENCY_LEASE_MS), keptBytes, {
    keys: toKeyring(config),
    maxBytes: config.IDEMPOTENCY_ANSWER_BYTES,
    leaseMs: IDEMPOTENCY_LEASE_MS,
    ttlMs: config.IDEMPOTENCY_TTL_S * 1_000,
    waitMs: config.IDEMPOTENCY_WAIT_S * 1_000,
  });
  started.defer(() => idempotency.idle());
  const keptResponses = createKeptResponses(redis, createKeptResponsesQuota(redis, config), {
    keys: toKeyring(config),
    ttlMs: config.KEPT_RESPONSES_TTL_S * 1_000,
    maxBytes: config.KEPT_RESPONSE_BYTES,
  });
  const statePlaces = createStatePlaces(redis);
  const departures = createDepartures({
    readOnMs: config.ABANDONED_READ_S * 1_000,
    perKey: config.ABANDONED_READS_PER_KEY,
    perProcess: config.ABANDONED_READS,
  });
  started.defer(() => departures.idle());
  const metrics = createMetrics('gateway', inProcess);
  serveUpstreamMetrics(metrics, table, upstreams.registry);
  serveStateMetrics(metrics, { snapshots, limiter, departures });
  serveSpoolMetrics(metrics, usage);
  const loadCredit = createCreditLoader(billing);
  const refusals = createRefusals();
  const health = new Health();
  health.add('price snapshot', () => {
    if (!table()) throw new Error('none loaded yet');
  });
  health.add('keys', async () => {
    if (!(await keys.canFind())) throw new Error('billing does not answer, and Redis has no copies of keys');
  });
  const storesUsage = () => config.UNSTORED_USAGE === 'serve' || usage.publisher.unstored() === 0;
  health.add('usage', () => {
    if (!storesUsage()) throw new Error('disk, queue and billing refuse usage; requests are refused');
  });

  // The first requests are limited over all gateways too.
  await waitUntilConnected(redis, 1_000);
  const brokenRequests = createBrokenRequests();
  const service = started.adopt(
    await startService({
      name: 'gateway',
      config,
      logger,
      health,
      module: GatewayModule,
      sharesPort: isOneOfSeveral,
      publicUrl: config.PUBLIC_URL,
      fastify: {
        genReqId: () => newRequestId(),
        requestTimeout: config.REQUEST_TIMEOUT_S * 1_000,
        bodyLimit: config.BODY_LIMIT_BYTES,
        routerOptions: { maxParamLength: 512 },
        frameworkErrors: answerFrameworkError,
        clientErrorHandler: brokenRequests.answer,
        http: {
          headersTimeout: Math.min(config.HEADERS_TIMEOUT_S, config.REQUEST_TIMEOUT_S) * 1_000,
          connectionsCheckingInterval: 1_000,
        },
      },
      async configure(fastify) {
        fastify.addHook('onRequest', (request, reply, done) => {
          reply.headers({ 'x-request-id': request.id, 'request-id': request.id });
          done();
        });
        guardRequests(fastify);
        brokenRequests.watch(fastify.server);
        limitConnections(fastify.server, {
          perAddress: config.CONNECTIONS_PER_ADDRESS,
          trusted: config.TRUSTED_PROXIES,
        });
        relayRoutes(fastify, {
          keys,
          wrongKeys,
          limiter,
          loadCredit,
          refusals,
          bodyMemory: createBodyMemory({
            bodyMemoryBytes: config.BODY_MEMORY_BYTES,
            keyBodyMemoryBytes: config.KEY_BODY_MEMORY_BYTES,
          }),
          table,
          publisher: usage.publisher,
          storesUsage,
          keptResponses,
          statePlaces,
          idempotency,
          departures,
          unseenReasoning: createUnseenReasoning(),
          hops: createHops(config.SEAL_KEY, config.MAX_HOPS),
          passHeaders: config.PASS_HEADERS,
          telemetry: { metrics: createRequestMetrics(metrics), tracer: tracing?.tracer, logger },
          states: createStateWrapper(config.SEAL_KEY, config.SEAL_KEYS_OTHER),
          storedIds: createStoredIds(config.SEAL_KEY, config.SEAL_KEYS_OTHER),
          limits: {
            bodyLimitBytes: config.BODY_LIMIT_BYTES,
            bodyValues: config.BODY_VALUES_LIMIT,
            bodyBytesPerS: config.BODY_BYTES_PER_S,
            answerLimitBytes: config.ANSWER_LIMIT_BYTES,
            eventLimitBytes: config.EVENT_LIMIT_BYTES,
            keepAliveMs: config.KEEP_ALIVE_MS,
          },
        });
        modelRoutes(fastify, { keys, wrongKeys, limiter, loadCredit, refusals, table });
        const page = isOneOfSeveral ? scrapeAll(metrics) : metrics;
        serveMetrics(fastify, page, metricsAccess(config), answerUnknownPath);
        statusRoutes(fastify, config, limiter, table);
        serveRelayDocument(fastify);
        proxyApi(fastify, config);
        serveUnknownPaths(fastify, serveConsole(fastify, config.CONSOLE_DIR));
        // Nobody outside can tell it from those that are ready already.
        if (isOneOfSeveral) await untilPriced(table);
      },
    }),
    (running) => running.stop(),
  );

  const resources = started.move();
  return {
    ...service,
    stop() {
      // From here on nobody is read on for: what is, ends, and is charged.
      departures.stop();
      return resources.disposeAsync();
    },
  };
}

const close = (part: { close(): unknown }): Promise<void> => Promise.resolve(part.close()).then(() => {});
