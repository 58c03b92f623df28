import { lowerQuartile } from '../relay/statistics.ts';
import { table } from '../table.ts';
import type { Billing } from './built-billing.ts';
import { type Parts, readSpent } from './spent.ts';

/** Milliseconds of a batch that nobody is before; the lower quartile of all rounds, as a slow moment of the machine only ever adds. */
interface Turn {
  readonly batch: Batch;
  /** From its first statement to its commit. */
  readonly whole: number;
  /** The part in which no other batch ends: its sums, and the commit. */
  readonly sums: number;
  /** What all of PostgreSQL ran for the sums: what else the machine does is hardly in it. */
  readonly cpu: number;
  readonly commit: number;
}

const ROUNDS = 21;
const WARM_UP = 3;

/** Where a batch begins to hold the journal's row, and where it has let it go. */
const isBooking = (query: string) => query.includes('billing.book_batch');
const isCommit = (query: string) => query === 'COMMIT';

/** What is posted: so many events of so many keys. */
interface Batch {
  readonly events: number;
  readonly keys: number;
  make(): readonly unknown[];
}

interface MeasuredWith {
  readonly stack: { readonly databaseUrl: string };
  readonly parts: Parts;
  readonly billing: Billing;
}

const postgresMs = (parts: Parts): number => readSpent(parts).postgres / 1_000;

/** Posts batches by turns, and looks how long each holds the journal's row. */
export async function measureTurns(
  { stack: { databaseUrl }, parts, billing }: MeasuredWith,
  batches: readonly Batch[],
): Promise<string> {
  const database = billing.createDataSource(databaseUrl);
  await database.initialize();
  const at = { booking: 0, booked: 0, committed: 0 };
  const cpu = { booking: 0, booked: 0 };
  database.subscribers.push({
    beforeQuery: ({ query }: { query: string }) => {
      if (!isBooking(query)) return;
      cpu.booking = postgresMs(parts);
      at.booking = performance.now();
    },
    afterQuery: ({ query }: { query: string }) => {
      if (isCommit(query)) at.committed = performance.now();
      if (!isBooking(query)) return;
      at.booked = performance.now();
      cpu.booked = postgresMs(parts);
    },
  });
  const rounds: Turn[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const batch of batches) {
      const postings = batch.make();
      const from = performance.now();
      await billing.postBatch(database, postings, []);
      if (round < 0) continue;
      rounds.push({
        batch,
        whole: performance.now() - from,
        sums: at.booked - at.booking,
        cpu: cpu.booked - cpu.booking,
        commit: at.committed - at.booked,
      });
    }
  await database.destroy();
  const shown = (values: readonly number[]) => lowerQuartile(values).toFixed(1);
  return table(
    ['milliseconds of a batch that nobody is before', 'keys', 'all', 'sums', 'CPU of the sums', 'commit'],
    batches.map((batch) => {
      const of = rounds.filter((each) => each.batch === batch);
      return [
        `${batch.events} events`,
        String(batch.keys),
        shown(of.map(({ whole }) => whole)),
        shown(of.map(({ sums }) => sums)),
        shown(of.map(({ cpu }) => cpu)),
        shown(of.map(({ commit }) => commit)),
      ];
    }),
  );
}
