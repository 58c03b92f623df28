import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { PriceSource } from './price-source.ts';
import { type RerateNews, RerateTotals } from './totals.ts';
import { readUsage, type UsageRange, type UsageReading } from './usage-rows.ts';

const PROGRESS_EVERY_MS = 500;

/**
 * Rates a range of usage by other prices and changes nothing. Gives what is answered line by line: progress about twice
 * a second, then a line for each account and model, then the total.
 */
export const rerate = (
  database: DataSource,
  range: UsageRange,
  prices: PriceSource,
  signal: AbortSignal,
): AsyncGenerator<RerateNews> => readUsage(database, range, signal, (reading) => rerateAll(reading, prices));

async function* rerateAll(reading: UsageReading, prices: PriceSource): AsyncGenerator<RerateNews> {
  const totals = new RerateTotals();
  const counting = reading.count();
  let of: number | null;
  do {
    of = await Promise.race([counting, sleep(PROGRESS_EVERY_MS, null, { ref: false })]);
    yield progress(0, of);
  } while (of === null);

  let rows = 0;
  let toldAt = performance.now();
  for await (const usage of reading.rows()) {
    const source = prices(usage.version);
    const rater = source instanceof Promise ? await source : source;
    totals.add(usage, rater(usage));
    rows += 1;
    if (rows % 500 === 0 && performance.now() - toldAt >= PROGRESS_EVERY_MS) {
      toldAt = performance.now();
      yield progress(rows, of);
    }
  }
  yield progress(rows, of);
  yield* totals.lines();
  yield { total: totals.total() };
}

const progress = (rows: number, of: number | null): RerateNews => ({ progress: { rows, of } });
