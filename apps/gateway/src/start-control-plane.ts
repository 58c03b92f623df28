import type { Tracer } from '@opentelemetry/api';
import { EVENT, keyChangedSchema, snapshotPublishedSchema, upstreamTestSchema } from '@tollgate/contracts';
import { close, type Logger, onEvent, type RequestReplyClient, subscribeEvents } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { createKeyLookups } from './authenticate/key-lookups.ts';
import { createKeyRecords, type KeyRecords } from './authenticate/key-records.ts';
import type { Worker } from './cluster/worker.ts';
import type { GatewayConfig } from './config.ts';
import { createTableDependencies, type RoutingTable } from './route/routing-table.ts';
import { createSnapshots, type Snapshots } from './route/snapshots.ts';
import type { UpstreamClients } from './route/upstream-client.ts';
import { startUpstreamHealth, type UpstreamHealth } from './upstreams/upstream-health.ts';
import { createUpstreamTests } from './upstreams/upstream-tests.ts';

/** What this gateway is told by others: prices, keys, the health of upstreams. Events keep it up to date. */
interface ControlPlane extends AsyncDisposable {
  readonly keys: KeyRecords;
  readonly snapshots: Snapshots;
  /** The routing table of the newest snapshot; undefined before the first. */
  readonly table: () => RoutingTable | undefined;
  readonly upstreams: UpstreamHealth;
}

export async function followControlPlane(parts: {
  readonly config: GatewayConfig;
  readonly worker: Worker;
  readonly redis: Redis;
  readonly clients: UpstreamClients;
  readonly pricing: RequestReplyClient;
  readonly billing: RequestReplyClient;
  readonly logger: Logger;
  readonly tracer: Tracer | undefined;
}): Promise<ControlPlane> {
  const { config, worker, redis, clients, pricing, billing, logger, tracer } = parts;
  await using started = new AsyncDisposableStack();
  const table = () => snapshots.current();
  const upstreams = started.adopt(
    startUpstreamHealth({ port: config.PORT, worker, redis, logger, table }),
    close,
  );
  const dependencies = createTableDependencies(upstreams.registry);
  const snapshots = started.adopt(
    createSnapshots({ redis, pricing, clients, dependencies, logger, tracer }),
    close,
  );
  const lookups = started.adopt(createKeyLookups(billing), close);
  const keys = createKeyRecords({ redis, lookups, changesAreHeard: () => events.fresh(), logger });
  const testUpstream = createUpstreamTests({
    self: upstreams.self,
    redis,
    logger,
    clients,
    table,
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
  const resources = started.move();
  return { keys, snapshots, table, upstreams, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
