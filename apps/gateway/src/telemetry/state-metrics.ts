import { readAtScrape } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { Snapshots } from '../route/snapshots.ts';

/** What Prometheus is told of the gateway itself: its prices, its Redis. */
export function serveStateMetrics(
  registry: Registry,
  parts: {
    readonly snapshots: Pick<Snapshots, 'current' | 'heardAt'>;
    readonly limiter: { readonly degraded: boolean };
  },
): void {
  const { snapshots, limiter } = parts;
  const gauge = (name: string, help: string, read: () => number | undefined | Promise<number>): void =>
    readAtScrape(registry, { kind: 'gauge', name, help }, async () => {
      const value = await read();
      return value === undefined ? [] : [[{}, value]];
    });

  gauge(
    'tollgate_gateway_snapshot_version',
    'Version of the price snapshot in use',
    () => snapshots.current()?.version,
  );
  gauge(
    'tollgate_gateway_snapshot_published_timestamp_seconds',
    'When that snapshot was published, in Unix time',
    () => {
      const table = snapshots.current();
      return table && table.publishedAt / 1_000;
    },
  );
  gauge(
    'tollgate_gateway_snapshot_heard_timestamp_seconds',
    'When pricing last said which snapshot is the newest, in Unix time; 0 if it never did',
    () => (snapshots.heardAt() ?? 0) / 1_000,
  );
  gauge(
    'tollgate_gateway_redis_degraded',
    '1 while this gateway limits by itself because Redis does not answer',
    () => (limiter.degraded ? 1 : 0),
  );
}
