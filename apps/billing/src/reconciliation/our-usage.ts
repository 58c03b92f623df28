import { column, hasRows, httpError, readRow, readRows } from '@tollgate/platform';
import {
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  UNCACHED_TOKEN_KINDS,
} from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { usageRows } from '../periods/usage-rows.ts';
import { LINE_COLUMNS, selectLines } from '../usage/line-rows.ts';
import type { OurRow } from './compare.ts';

interface UsageQuestion {
  readonly upstream: string;
  readonly timeZone: string;
  /** Both inclusive. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Whether the upstream's input tokens count those that it read from its cache as well. */
  readonly inputIncludesCached: boolean;
  /** Only ledger transactions up to this number. */
  readonly asOf: number;
}

const sumOf = (kinds: readonly string[]): string =>
  `sum(${kinds.map((kind) => `tokens_${kind}`).join(' + ')})::text`;

const ourUsageRow = z.object({
  day: column.text,
  model: column.text,
  requests: column.bigint,
  input_tokens: column.bigint,
  cached_tokens: column.bigint,
  output_tokens: column.bigint,
  amount_pico: column.bigint,
  requests_of_unknown_cost: column.bigint,
});

/**
 * Our usage of an upstream by day (of when requests occurred) and the upstream's name of the model. What a second model did
 * for a request counts for that model, by our name of it: the gateway did not ask for it by any other. A request of unknown cost
 * is counted once, for the first of its models whose cost nobody knows.
 */
export async function ourUsage(
  manager: Pick<EntityManager, 'query'>,
  question: UsageQuestion,
): Promise<OurRow[]> {
  const source = await usageRows(manager, [
    'number',
    'occurred_at',
    'upstream',
    'upstream_model',
    ...LINE_COLUMNS,
  ]);
  const lines = selectLines(`(${source})`, ['number', 'occurred_at', 'upstream', 'upstream_model']);
  const rows = await readRows(
    manager,
    ourUsageRow,
    `SELECT to_char(occurred_at AT TIME ZONE $2, 'YYYY-MM-DD') AS day,
       CASE WHEN is_request THEN upstream_model ELSE model END AS model,
       count(*) FILTER (WHERE is_request) AS requests, ${sumOf(question.inputIncludesCached ? INPUT_TOKEN_KINDS : UNCACHED_TOKEN_KINDS)} AS input_tokens,
       ${sumOf(CACHED_TOKEN_KINDS)} AS cached_tokens, ${sumOf(OUTPUT_TOKEN_KINDS)} AS output_tokens,
       coalesce(sum(upstream_cost_pico), 0)::text AS amount_pico,
       count(*) FILTER (WHERE is_unknown) AS requests_of_unknown_cost
     FROM (${lines}) u
     -- A day more on both sides finds the partitions; what counts is the day on the clocks of the time zone.
     WHERE upstream = $1 AND number <= $5
       AND occurred_at >= ($3::date - 1)::timestamp AT TIME ZONE 'UTC'
       AND occurred_at < ($4::date + 2)::timestamp AT TIME ZONE 'UTC'
       AND (occurred_at AT TIME ZONE $2)::date BETWEEN $3::date AND $4::date
     GROUP BY 1, 2`,
    [question.upstream, question.timeZone, question.firstDay, question.lastDay, question.asOf],
  );
  return rows.map((row) => ({
    day: row.day,
    model: row.model,
    requests: BigInt(row.requests),
    input_tokens: BigInt(row.input_tokens),
    cached_tokens: BigInt(row.cached_tokens),
    output_tokens: BigInt(row.output_tokens),
    amount_pico: BigInt(row.amount_pico),
    requests_of_unknown_cost: BigInt(row.requests_of_unknown_cost),
  }));
}

const droppedRow = z.object({ month: column.text });

/** @throws HttpException 409 for days whose requests were dropped: an invoice cannot be compared with what is left. */
export async function refuseDropped(
  manager: Pick<EntityManager, 'query'>,
  { timeZone, firstDay, lastDay }: Pick<UsageQuestion, 'timeZone' | 'firstDay' | 'lastDay'>,
): Promise<void> {
  const row = await readRow(
    manager,
    droppedRow,
    `SELECT to_char(month, 'YYYY-MM') AS month FROM billing.usage_drop
     WHERE month::timestamp AT TIME ZONE 'UTC' < ($3::date + 1)::timestamp AT TIME ZONE $1
       AND (month + interval '1 month') AT TIME ZONE 'UTC' > $2::date::timestamp AT TIME ZONE $1
     ORDER BY month LIMIT 1`,
    [timeZone, firstDay, lastDay],
  );
  if (!row) return;
  const message = `The requests of ${row.month} were dropped: there is nothing to compare an invoice with.`;
  throw httpError(409, message, null, 'month_dropped', { month: row.month });
}

const ourLostAttemptRow = z.object({ attempts: column.bigint, amount_pico: column.bigint });

/**
 * What attempts that brought nothing may cost, on the same days: where an invoice has more than our requests, it may be for
 * these.
 */
export async function ourLostAttempts(
  manager: Pick<EntityManager, 'query'>,
  { upstream, timeZone, firstDay, lastDay, asOf }: Omit<UsageQuestion, 'inputIncludesCached'>,
): Promise<{ readonly attempts: number; readonly amountPico: bigint }> {
  const row = await readRow(
    manager,
    ourLostAttemptRow,
    `SELECT count(*) AS attempts, coalesce(sum(upstream_cost_pico), 0)::text AS amount_pico FROM billing.lost_attempt
     WHERE upstream = $1 AND number <= $5 AND (occurred_at AT TIME ZONE $2)::date BETWEEN $3::date AND $4::date`,
    [upstream, timeZone, firstDay, lastDay, asOf],
  );
  return { attempts: Number(row?.attempts ?? 0), amountPico: BigInt(row?.amount_pico ?? 0) };
}

/** Whether PostgreSQL knows a time zone by this name. */
export const isTimeZone = (manager: Pick<EntityManager, 'query'>, name: string): Promise<boolean> =>
  hasRows(manager, 'SELECT FROM pg_timezone_names WHERE name = $1', [name]);
