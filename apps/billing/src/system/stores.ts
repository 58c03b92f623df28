import type { AnswerOf, systemState } from '@tollgate/api';
import {
  GATEWAY_REPORT_MS,
  GATEWAY_REPORTS_REDIS_KEY,
  type GatewayReport,
  gatewayReportSchema,
} from '@tollgate/contracts';
import { column, findUsageQueues, requireRow } from '@tollgate/platform';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const postgresRow = z.object({
  version: column.text,
  bytes: column.float,
  connections: column.int,
  max_connections: column.int,
  rejected_events: column.int,
});

type System = AnswerOf<typeof systemState.showSystem>;
/** What a part says of itself while it is up. */
type State<P extends 'postgres' | 'redis' | 'queue'> = NonNullable<System[P]['state']>;

/** What PostgreSQL says of itself. */
export async function askPostgres(database: Pick<DataSource, 'query'>): Promise<State<'postgres'>> {
  return requireRow(
    database,
    postgresRow,
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS bytes,
       (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::int AS connections,
       current_setting('max_connections')::int AS max_connections,
       (SELECT count(*) FROM billing.usage_rejected)::int AS rejected_events`,
  );
}

/** What Redis, or the node of a cluster that is asked, says of itself. */
export async function askRedis(redis: Redis): Promise<State<'redis'>> {
  const said = new Map(
    (await redis.info()).split('\r\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  const numberOf = (name: string) => Number(said.get(name) ?? 0);
  return {
    version: said.get('valkey_version') ?? said.get('redis_version') ?? '',
    role: said.get('role') ?? '',
    bytes: numberOf('used_memory'),
    most_bytes: numberOf('maxmemory'),
    connections: numberOf('connected_clients'),
    uptime_s: numberOf('uptime_in_seconds'),
  };
}

/** The gateways that run, as they say themselves, by name. */
export async function askGateways(redis: Redis, now = Date.now()): Promise<GatewayReport[]> {
  const written = await redis.hvals(GATEWAY_REPORTS_REDIS_KEY);
  return written
    .flatMap((text) => {
      const parsed = gatewayReportSchema.safeParse(JSON.parse(text));
      return parsed.success && now - parsed.data.at <= GATEWAY_REPORT_MS ? [parsed.data] : [];
    })
    .sort((a, b) => a.gateway.localeCompare(b.gateway));
}

export interface UsageQueueWatch {
  /** Jobs of all usage queues by what they wait for. @throws while Redis is away. */
  counts(): Promise<State<'queue'>>;
  close(): Promise<void>;
}

/** Looks at the usage queues; each is opened at the first look, and again after a failure. */
export function watchUsageQueue(redis: Redis): UsageQueueWatch {
  const opened = new Map<string, Promise<Queue>>();
  const open = async (name: string): Promise<Queue> => {
    const queue = new Queue(name, { connection: redis, skipWaitingForReady: true });
    queue.on('error', () => {});
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      opened.delete(name);
      await queue.close().catch(() => {});
      throw error;
    }
  };
  async function readCounts(name: string): Promise<State<'queue'>> {
    const queue = opened.get(name) ?? open(name);
    opened.set(name, queue);
    const { wait, prioritized, active, delayed, failed } = await (
      await queue
    ).getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed');
    return {
      waiting: (wait ?? 0) + (prioritized ?? 0),
      active: active ?? 0,
      delayed: delayed ?? 0,
      failed: failed ?? 0,
    };
  }
  return {
    async counts() {
      const all = await Promise.all((await findUsageQueues(redis)).map(readCounts));
      return all.reduce((sum, one) => ({
        waiting: sum.waiting + one.waiting,
        active: sum.active + one.active,
        delayed: sum.delayed + one.delayed,
        failed: sum.failed + one.failed,
      }));
    },
    async close() {
      for (const queue of opened.values())
        await (await queue.catch(() => undefined))?.close().catch(() => {});
    },
  };
}
