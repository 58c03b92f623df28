import { column, readRows, type SqlRunner } from '@tollgate/platform/sql';
import { z } from 'zod';

const STEPS = ['day', 'month'] as const;
type Step = (typeof STEPS)[number];

interface Span {
  /** As the database writes times. */
  readonly start: string;
  readonly end: string;
}

/** A day or month by the clocks of a zone: what it begins with is `YYYY-MM-DD`. */
interface Place {
  readonly step: Step;
  readonly zone: string;
  readonly first: string;
}

const spanRow = z.object({
  step: z.enum(STEPS),
  zone: column.text,
  first: column.text,
  start: column.text,
  end: column.text,
});

const SPANS = `SELECT step, zone, first::text, billing.local_month_start(first, zone)::text AS start,
    billing.local_month_start((first + ('1 ' || step)::interval)::date, zone)::text AS end
  FROM unnest($1::text[], $2::text[], $3::date[]) AS places (step, zone, first)`;

/**
 * When days and months begin and end where accounts are. Periods are closed by the same function of the database; as a call of it takes
 * tens of microseconds, each is asked for once.
 */
export class FocusSpans {
  readonly #database: SqlRunner;
  readonly #known = new Map<string, Span>();

  constructor(database: SqlRunner) {
    this.#database = database;
  }

  /** Asks for those that are not known yet. */
  async load(places: readonly Place[]): Promise<void> {
    const unknown = new Map(
      places.flatMap((place) => (this.#known.has(toKey(place)) ? [] : [[toKey(place), place]])),
    );
    if (unknown.size === 0) return;
    const asked = [...unknown.values()];
    const rows = await readRows(this.#database, spanRow, SPANS, [
      asked.map(({ step }) => step),
      asked.map(({ zone }) => zone),
      asked.map(({ first }) => first),
    ]);
    for (const row of rows) this.#known.set(toKey(row), { start: row.start, end: row.end });
  }

  /** @throws for one that was not asked for. */
  find(place: Place): Span {
    const span = this.#known.get(toKey(place));
    if (!span)
      throw new Error(`nobody asked when the ${place.step} of ${place.first} begins in ${place.zone}`);
    return span;
  }
}

const toKey = ({ step, zone, first }: Place): string => `${step} ${first} ${zone}`;
