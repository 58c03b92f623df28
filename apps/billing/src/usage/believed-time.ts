import { column, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Posting } from './posting.ts';

/** No two clocks are the same to the second. */
const TOLERANCE_MS = 60_000;

/** What a clock cannot say: a time that has not come, or one before there was the key or its account. */
export type Impossible = 'future' | 'past';

const BOUNDS = `
  SELECT asked.account_id, asked.key_id, clock_timestamp() AS now, greatest(a.created_at, k.created_at) AS earliest
  FROM unnest($1::uuid[], $2::uuid[]) AS asked (account_id, key_id)
  LEFT JOIN billing.account a ON a.id = asked.account_id
  LEFT JOIN billing.api_key k ON k.id = asked.key_id AND k.account_id = asked.account_id`;

const clockBoundsRow = z.object({
  account_id: column.uuid,
  key_id: column.uuid,
  now: column.timestamp,
  earliest: column.timestamp.nullable(),
});

/**
 * Gateways' clocks are not believed beyond what can be: usage of 2036 would be on no statement for years and in no budget,
 * and that of 1970 would open every month since. What cannot be took place now, as far as anybody knows: usage is posted
 * within seconds.
 */
export async function believed(
  database: Pick<EntityManager, 'query'>,
  postings: readonly Posting[],
  corrected: (how: Impossible, posting: Posting) => void = () => {},
): Promise<Posting[]> {
  if (postings.length === 0) return [];
  const keys = new Map(postings.map(({ event }) => [`${event.account_id} ${event.key_id}`, event]));
  const asked = [...keys.values()];
  const rows = await readRows(database, clockBoundsRow, BOUNDS, [
    asked.map(({ account_id }) => account_id),
    asked.map(({ key_id }) => key_id),
  ]);
  const bounds = new Map(rows.map((row) => [`${row.account_id} ${row.key_id}`, row]));
  return postings.map((posting) => {
    const { event } = posting;
    const bound = bounds.get(`${event.account_id.toLowerCase()} ${event.key_id.toLowerCase()}`);
    const how = bound && impossible(Date.parse(event.occurred_at), bound);
    if (!how) return posting;
    corrected(how, posting);
    return {
      ...posting,
      claimedAt: event.occurred_at,
      event: { ...event, occurred_at: bound.now.toISOString() },
    };
  });
}

function impossible(
  claimed: number,
  { now, earliest }: { readonly now: Date; readonly earliest: Date | null },
): Impossible | undefined {
  if (claimed > now.getTime() + TOLERANCE_MS) return 'future';
  return earliest !== null && claimed < earliest.getTime() - TOLERANCE_MS ? 'past' : undefined;
}
