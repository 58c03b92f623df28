import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { addTotals } from './add-totals.ts';
import type { Span } from './calendar.ts';
import { computeDigest, digestPlaceSchema } from './digest.ts';
import { computeTotals, type PeriodTotals } from './totals.ts';

/** How far a closed month was read. Nothing in it changes, so whoever goes on from there comes to the same. */
export const periodPlaceSchema = z.object({
  digest: z.union([digestPlaceSchema, z.string()]).nullable(),
  /** Of the equal parts of its time, how many are added up. */
  parts: z.int(),
  summed: z.int(),
  totals: z.custom<PeriodTotals>().nullable(),
});
export type PeriodPlace = z.infer<typeof periodPlaceSchema>;

/** What a month has come to, as if it had begun with nothing. */
interface PeriodReading {
  readonly digest: string;
  readonly totals: PeriodTotals;
}

interface ReadingProgress {
  /** How many numbers of the journal are read at a time; nearly, for those added up. */
  readonly every: number;
  /** Is told where reading is, and of how many numbers that is the end. What it throws ends the reading. */
  readonly reached: (place: PeriodPlace, checked: number) => Promise<void>;
}

/** So much is lost at most where a process is killed: a second or two of reading. */
export const READ_AT_ONCE = 250_000;
const MAX_PARTS = 3_000;

/**
 * Reads a closed month: its digest first, and then its totals by parts of its time.
 *
 * @param numbers how many it has, by what is known of it.
 */
export async function readPeriod(
  manager: EntityManager,
  span: Span,
  numbers: number,
  begun: PeriodPlace | null,
  { every, reached }: ReadingProgress,
): Promise<PeriodReading> {
  const parts = Math.min(Math.max(Math.ceil(numbers / every), 1), MAX_PARTS);
  let place: PeriodPlace = begun ?? { digest: null, parts, summed: 0, totals: null };
  // Each number is read once for the digest and once for the totals.
  const goOn = (next: Partial<PeriodPlace>, digested: number): Promise<void> => {
    place = { ...place, ...next };
    return reached(place, Math.floor((digested + numbers * (place.summed / place.parts)) / 2));
  };
  const digest =
    typeof place.digest === 'string'
      ? place.digest
      : await computeDigest(manager, span, {
          begun: place.digest,
          every,
          reached: (at) => goOn({ digest: at }, Math.min(at.checked, numbers)),
        });
  if (place.digest !== digest) await goOn({ digest }, numbers);
  for (let part = place.summed; part < place.parts; part += 1) {
    const totals = await computeTotals(manager, partOf(span, part, place.parts), 0n);
    await goOn(
      { summed: part + 1, totals: place.totals ? addTotals(place.totals, totals) : totals },
      numbers,
    );
  }
  if (!place.totals) throw new Error('a month has no part');
  return { digest, totals: place.totals };
}

/** One of the equal parts of a span, in whole milliseconds. */
function partOf(span: Span, part: number, parts: number): Span {
  const [from, to] = [Date.parse(span.from), Date.parse(span.to)];
  const at = (index: number) => new Date(from + Math.floor(((to - from) * index) / parts)).toISOString();
  return { ...span, from: at(part), to: at(part + 1) };
}
