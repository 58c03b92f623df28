import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readAtScrape } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { Publisher } from '../publish/publisher.ts';
import type { Spool } from '../publish/spool.ts';
import type { UsageDelivery } from '../publish/usage-delivery.ts';

/** What Prometheus is told of usage that is not in the books. */
export function serveSpoolMetrics(
  registry: Registry,
  parts: {
    readonly directory: string;
    /** Where files are that hold what cannot be read. */
    readonly quarantine: string;
    readonly damage: { readonly lines: number };
    readonly spool: Pick<Spool, 'segments' | 'unconfirmed'>;
    /** Spools of processes that are gone. */
    readonly orphaned: Pick<Spool, 'segments'>;
    readonly publisher: Pick<Publisher, 'pending' | 'unstored' | 'diskRefusals'>;
    readonly delivery: Pick<UsageDelivery, 'refusals'>;
  },
): void {
  const { spool, orphaned, publisher, delivery } = parts;
  const serve = (
    kind: 'counter' | 'gauge',
    name: string,
    help: string,
    read: () => number | Promise<number>,
  ): void => readAtScrape(registry, { kind, name, help }, async () => [[{}, await read()]]);
  const gauge = serve.bind(undefined, 'gauge');
  const counter = serve.bind(undefined, 'counter');

  gauge(
    'tollgate_gateway_spool_files',
    'Files of the spool whose usage is not confirmed to be in the books',
    () => spool.segments().length + orphaned.segments().length,
  );
  gauge('tollgate_gateway_spool_bytes', 'Size of the spool on the disk', () => bytesIn(parts.directory));
  gauge(
    'tollgate_gateway_spool_oldest_timestamp_seconds',
    'When the oldest file that is not confirmed began, in Unix time; the time of asking where there is none',
    () => {
      const files = [spool, orphaned].flatMap((each) => each.segments());
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
    'tollgate_gateway_usage_unstored',
    'Usage events that disk, queue and billing have refused: they are in memory only',
    () => publisher.unstored(),
  );
  gauge(
    'tollgate_gateway_spool_quarantined_files',
    'Files of the spool that hold what cannot be read and wait for a person',
    () => filesIn(parts.quarantine),
  );
  counter(
    'tollgate_gateway_spool_damaged_lines_total',
    'Lines of the spool that were not what had been written',
    () => parts.damage.lines,
  );
  counter('tollgate_gateway_spool_refusals_total', 'Usage events that the disk refused', () =>
    publisher.diskRefusals(),
  );
  counter('tollgate_gateway_queue_refusals_total', 'Usage jobs that the queue refused', () =>
    delivery.refusals(),
  );
}

/** None where there is no such directory. */
const filesIn = (directory: string): Promise<number> =>
  readdir(directory).then(
    ({ length }) => length,
    () => 0,
  );

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
