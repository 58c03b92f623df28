import type { Tracer } from '@opentelemetry/api';
import type { ResilientLimiter } from '@tollgate/limits';
import { close, type Logger, type RequestReplyClient, toKeyring } from '@tollgate/platform';
import { createStateWrapper, createStoredIds } from '@tollgate/protocols';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { createCreditLoader } from './admit/credit-loader.ts';
import { createRefusals } from './admit/refusals.ts';
import type { KeyRecords } from './authenticate/key-records.ts';
import { createWrongKeys } from './authenticate/wrong-keys.ts';
import { createBackgroundJobs } from './background/jobs-client.ts';
import { watchJobs } from './background/job-watch.ts';
import { startPollingJobs } from './background/poll-jobs.ts';
import { createBodyMemory } from './body/body-memory.ts';
import type { GatewayConfig } from './config.ts';
import { createHops } from './forward/hops.ts';
import type { HealthRegistry } from './health/registry.ts';
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts';
import { createKeptBytes } from './idempotency/kept-bytes.ts';
import { createLeases } from './idempotency/leases.ts';
import { createKeptResponses, createKeptResponsesQuota } from './kept-responses/kept-responses.ts';
import type { Publisher } from './publish/publisher.ts';
import { createStatePlaces } from './reasoning/state-places.ts';
import { createDepartures, type Departures } from './relay/departures.ts';
import type { RelayDependencies } from './relay/relay-request.ts';
import { createUnseenReasoning } from './relay/unseen-reasoning.ts';
import type { RequestLog } from './request-log/request-log.ts';
import type { RoutingTable } from './route/routing-table.ts';
import { createRequestMetrics } from './telemetry/request-metrics.ts';
import { createOpenSockets, type OpenSockets } from './websocket/open-sockets.ts';
import { toUploadLimits } from './upload/settings.ts';
import { openUploadDirectory } from './upload/spooled-bytes.ts';
import { toSocketLimits } from './websocket/settings.ts';

/** A gateway that is killed holds up who repeats its requests for so long. */
const IDEMPOTENCY_LEASE_MS = 10_000;

/** What relaying depends on. Its disposal waits for what is read on without its client, and for answers that are kept. */
export interface Relay extends AsyncDisposable {
  readonly deps: RelayDependencies;
  readonly departures: Departures;
  readonly sockets: OpenSockets;
}

export async function startRelay(parts: {
  readonly config: GatewayConfig;
  readonly redis: Redis;
  readonly billing: RequestReplyClient;
  readonly limiter: ResilientLimiter;
  readonly keys: KeyRecords;
  readonly table: () => RoutingTable | undefined;
  readonly health: HealthRegistry;
  readonly publisher: Publisher;
  readonly metrics: Registry;
  readonly tracer: Tracer | undefined;
  readonly logger: Logger;
  readonly requests: RequestLog;
}): Promise<Relay> {
  const { config, redis, limiter, publisher, table, tracer, logger, requests } = parts;
  await using started = new AsyncDisposableStack();
  const idempotency = openIdempotency(config, redis);
  started.defer(() => idempotency.idle());
  const departures = createDepartures({
    readOnMs: config.ABANDONED_READ_S * 1_000,
    perKey: config.ABANDONED_READS_PER_KEY,
    perProcess: config.ABANDONED_READS,
  });
  started.defer(() => departures.idle());
  const backgroundJobs = createBackgroundJobs(parts.billing);
  const metrics = createRequestMetrics(parts.metrics);
  const deps: RelayDependencies = {
    keys: parts.keys,
    wrongKeys: createWrongKeys(limiter, config.WRONG_KEYS_PER_MINUTE),
    limiter,
    loadCredit: createCreditLoader(parts.billing),
    refusals: createRefusals(),
    bodyMemory: createBodyMemory({
      bodyMemoryBytes: config.BODY_MEMORY_BYTES,
      keyBodyMemoryBytes: config.KEY_BODY_MEMORY_BYTES,
    }),
    uploads: await openUploads(config),
    table,
    publisher,
    storesUsage: () => config.UNSTORED_USAGE === 'serve' || publisher.unstored() === 0,
    keptResponses: createKeptResponses(redis, createKeptResponsesQuota(redis, config), {
      keys: toKeyring(config),
      ttlMs: config.KEPT_RESPONSES_TTL_S * 1_000,
      maxBytes: config.KEPT_RESPONSE_BYTES,
    }),
    statePlaces: createStatePlaces(redis),
    backgroundJobs,
    idempotency,
    departures,
    unseenReasoning: createUnseenReasoning(),
    hops: createHops(config.SEAL_KEY, config.MAX_HOPS),
    passHeaders: config.PASS_HEADERS,
    telemetry: { metrics, tracer, logger, requests },
    states: createStateWrapper(config.SEAL_KEY, config.SEAL_KEYS_OTHER),
    storedIds: createStoredIds(config.SEAL_KEY, config.SEAL_KEYS_OTHER),
    limits: toLimits(config),
  };
  const limitBytes = config.ANSWER_LIMIT_BYTES;
  const watch = watchJobs({ registry: parts.metrics, metrics, health: parts.health });
  started.adopt(startPollingJobs({ jobs: backgroundJobs, table, limitBytes, watch, logger }), close);
  const resources = started.move();
  const sockets = createOpenSockets(toSocketLimits(config));
  return { deps, departures, sockets, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const toLimits = (config: GatewayConfig): RelayDependencies['limits'] => ({
  bodyLimitBytes: config.BODY_LIMIT_BYTES,
  bodyValues: config.BODY_VALUES_LIMIT,
  ...toUploadLimits(config),
  bodyBytesPerS: config.BODY_BYTES_PER_S,
  answerLimitBytes: config.ANSWER_LIMIT_BYTES,
  eventLimitBytes: config.EVENT_LIMIT_BYTES,
  keepAliveMs: config.KEEP_ALIVE_MS,
});

const openUploads = async (config: GatewayConfig): Promise<RelayDependencies['uploads']> => ({
  directory: await openUploadDirectory(config.UPLOAD_DIR),
  disk: createBodyMemory({
    bodyMemoryBytes: config.UPLOAD_DISK_BYTES,
    keyBodyMemoryBytes: config.KEY_UPLOAD_DISK_BYTES,
  }),
});

function openIdempotency(config: GatewayConfig, redis: Redis): Idempotency {
  const keptBytes = createKeptBytes(redis, {
    name: 'idempotency',
    perAccount: config.IDEMPOTENCY_ACCOUNT_BYTES,
    inAll: config.IDEMPOTENCY_BYTES,
    ttlMs: config.IDEMPOTENCY_TTL_S * 1_000,
  });
  return createIdempotency(createLeases(redis, IDEMPOTENCY_LEASE_MS), keptBytes, {
    keys: toKeyring(config),
    maxBytes: config.IDEMPOTENCY_ANSWER_BYTES,
    leaseMs: IDEMPOTENCY_LEASE_MS,
    ttlMs: config.IDEMPOTENCY_TTL_S * 1_000,
    waitMs: config.IDEMPOTENCY_WAIT_S * 1_000,
  });
}
