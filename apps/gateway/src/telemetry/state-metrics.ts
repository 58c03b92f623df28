import { readAtScrape } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { Snapshots } from '../route/snapshots.ts';

/** What Prometheus is told of the gateway itself: its prices, its Redis. */
export function serveStateMetrics(
  registry: Registry,
  parts: {
    readonly snapshots: Pick<Snapshots, 'current' | 'heardAt'>;
    readonly limiter: { readonly degraded: boolean };
    readonly sockets: { readonly count: number };
    /** Upstreams that are read on without their client, and those that were given up, by why. */
    readonly departures: { readonly reading: number; readonly givenUp: Readonly<Record<string, number>> };
  },
): void {
  const { snapshots, limiter, sockets, departures } = parts;
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
  gauge('tollgate_gateway_websockets', 'WebSocket connections that are open', () => sockets.count);
  gauge(
    'tollgate_gateway_abandoned_reads',
    'Upstreams that are read on to their usage though their client has gone',
    () => departures.reading,
  );
  readAtScrape(
    registry,
    {
      kind: 'counter',
      name: 'tollgate_gateway_abandoned_reads_given_up_total',
      help: 'Those of them that were ended before their usage was known, by why: a limit, or a stop of the gateway',
      labelNames: ['by'],
    },
    () => Object.entries(departures.givenUp).map(([by, count]) => [{ by }, count]),
  );
}
