import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readAtScrape } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { Publisher } from '../publish/publisher.ts';
import type { Spool } from '../publish/spool.ts';
import type { Snapshots } from '../route/snapshots.ts';

/** What Prometheus is told of the gateway itself: usage that is not in the books, its prices, its Redis. */
export function serveStateMetrics(
  registry: Registry,
  parts: {
    readonly spoolDirectory: string;
    readonly spool: Pick<Spool, 'segments' | 'unconfirmed'>;
    /** Spools of processes that are gone. */
    readonly left: Pick<Spool, 'segments'>;
    readonly publisher: Pick<Publisher, 'pending'>;
    readonly snapshots: Pick<Snapshots, 'current' | 'heardAt'>;
    readonly limiter: { readonly degraded: boolean };
  },
): void {
  const { spool, left, publisher, snapshots, limiter } = parts;
  const gauge = (name: string, help: string, read: () => number | undefined | Promise<number>): void =>
    readAtScrape(registry, { kind: 'gauge', name, help }, async () => {
      const value = await read();
      return value === undefined ? [] : [[{}, value]];
    });

  gauge(
    'tollgate_gateway_spool_files',
    'Files of the spool whose usage is not confirmed to be in the books',
    () => spool.segments().length + left.segments().length,
  );
  gauge('tollgate_gateway_spool_bytes', 'Size of the spool on the disk', () => bytesIn(parts.spoolDirectory));
  gauge(
    'tollgate_gateway_spool_oldest_timestamp_seconds',
    'When the oldest file that is not confirmed began, in Unix time; the time of asking where there is none',
    () => {
      const files = [spool, left].flatMap((each) => each.segments());
      const began = files.map(({ name }) => Number.parseInt(name, 10));
      return began.reduce((oldest, each) => Math.min(oldest, each), Date.now()) / 1_000;
    },
  );
  gauge(
    'tollgate_gateway_usage_unconfirmed',
    'Usage events of this process that are not confirmed to be in the books',
    () => spool.unconfirmed(),
  );
  gauge('tollgate_gateway_usage_pending', 'Usage events that are on their way to the queue', () =>
    publisher.pending(),
  );
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

/** Files that go away in between, and the spools of other processes, count nothing. */
async function bytesIn(directory: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(directory)).map((name) =>
      stat(join(directory, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
