import { CURRENT_SNAPSHOT_REDIS_KEY, MESSAGE } from '@tollgate/contracts';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import type { Tracer } from '@opentelemetry/api';
import {
  type PriceSnapshot,
  type UnverifiedSnapshot,
  unverifiedSnapshotSchema,
  verifySnapshot,
} from '@tollgate/catalogue';
import type { Redis } from 'ioredis';
import { traceSnapshot } from './snapshot-trace.ts';
import { buildRoutingTable, type RoutingTable, type TableDependencies } from './routing-table.ts';
import type { UpstreamClients } from './upstream-client.ts';

/** A publication whose event was lost is found by asking this often. */
const POLL_MS = 10_000;
const FIRST_TRY_MS = 200;

export interface Snapshots {
  /** The table of the newest verified snapshot; undefined until the first one arrived. */
  current(): RoutingTable | undefined;
  /** When pricing last said which snapshot is the newest, in milliseconds since 1970; undefined if it never did. */
  heardAt(): number | undefined;
  /** Asks for the newest snapshot now, in the trace of its publication where that is told; never throws. */
  refresh(publication?: string): Promise<void>;
  close(): void;
}

/** Holds the newest price snapshot; when pricing is away it keeps the last one that verified. */
export function createSnapshots(sources: {
  redis: Redis;
  pricing: RequestReplyClient;
  clients: UpstreamClients;
  dependencies: TableDependencies;
  logger: Logger;
  tracer?: Tracer | undefined;
}): Snapshots {
  const { redis, pricing, clients, dependencies, logger, tracer } = sources;
  let table: RoutingTable | undefined;
  let refreshing: Promise<void> | undefined;
  let again = false;
  let nextPublication: string | undefined;
  let heardAt: number | undefined;

  async function fetchNewest(traceparent: string | undefined): Promise<UnverifiedSnapshot | null> {
    try {
      const request = { version: 'current', traceparent };
      const newest = await pricing.request(MESSAGE.snapshotGet, request, unverifiedSnapshotSchema.nullable());
      heardAt = Date.now();
      return newest;
    } catch (error) {
      logger.warn(
        { event: 'pricing_unavailable', reason: (error as Error).message },
        'pricing does not answer',
      );
      if (table) return null;
      const copy = await redis.get(CURRENT_SNAPSHOT_REDIS_KEY);
      return copy === null ? null : unverifiedSnapshotSchema.parse(JSON.parse(copy));
    }
  }

  async function load(traceparent: string | undefined): Promise<void> {
    const newest = await fetchNewest(traceparent);
    if (!newest || (newest.version === table?.version && newest.hash === table.hash)) return;
    const snapshot = verifyOrReport(newest, logger);
    if (!snapshot) return;
    // Pricing is asked one question at a time, so what it says last holds, whatever the number: its database was put back.
    if (table && snapshot.version <= table.version)
      logger.warn(
        { event: 'snapshot_went_back', version: snapshot.version, before: table.version },
        'pricing went back to an earlier version',
      );
    table = buildRoutingTable(snapshot, clients.update(snapshot.catalogue.upstreams), dependencies);
    logger.info(
      { event: 'snapshot_loaded', version: snapshot.version, hash: snapshot.hash },
      'the gateway has a new price snapshot',
    );
  }

  async function tracedLoad(publication: string | undefined): Promise<void> {
    const trace = traceSnapshot(tracer, publication);
    try {
      await load(trace?.traceparent);
      trace?.ended(table?.version);
    } catch (error) {
      trace?.ended(undefined, error as Error);
      logger.warn(
        { event: 'snapshot_load_failed', reason: (error as Error).message },
        'no newer price snapshot could be loaded',
      );
    }
  }

  function refresh(publication?: string): Promise<void> {
    // A publication during a load must not be missed: one more load follows.
    if (refreshing) {
      again = true;
      nextPublication = publication ?? nextPublication;
      return refreshing;
    }
    refreshing = tracedLoad(publication).finally(() => {
      refreshing = undefined;
      if (!again) return;
      const next = nextPublication;
      again = false;
      nextPublication = undefined;
      void refresh(next);
    });
    return refreshing;
  }

  let timer: NodeJS.Timeout;
  const poll = async () => {
    await refresh();
    timer = setTimeout(() => void poll(), table ? POLL_MS : FIRST_TRY_MS);
    timer.unref();
  };
  void poll();

  return { current: () => table, heardAt: () => heardAt, refresh, close: () => clearTimeout(timer) };
}

/** Undefined for a snapshot that is not what its hash says. */
function verifyOrReport(newest: UnverifiedSnapshot, logger: Logger): PriceSnapshot | undefined {
  try {
    return verifySnapshot(newest);
  } catch (error) {
    logger.error(
      { event: 'snapshot_hash_mismatch', version: newest.version, reason: (error as Error).message },
      'a snapshot does not match its hash and is not used',
    );
    return undefined;
  }
}
