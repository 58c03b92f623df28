import { INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { UNIT_COLUMNS } from './meter-columns.ts';

/** What is added up in an hour. */
export const HOUR_SUMS = ['requests', 'tokens_in', 'tokens_out', ...UNIT_COLUMNS, 'cost_pico'] as const;

const sumTokens = (kinds: readonly TokenKind[]): string =>
  `sum(${kinds.map((kind) => `u.tokens_${kind}`).join(' + ')})`;

/** The rows of a table like the usage log, each of so many `requests`, as rows of `billing.usage_hour`; hours are those of the account's clock. */
export const hourSums = (table: string, condition = 'true'): string => `
  SELECT u.account_id, date_trunc('hour', u.occurred_at, coalesce(a.time_zone, 'UTC')) AS hour, u.key_id, u.model,
    u.outcome, sum(u.requests), ${sumTokens(INPUT_TOKEN_KINDS)},
    ${sumTokens(OUTPUT_TOKEN_KINDS)}, ${UNIT_COLUMNS.map((name) => `sum(u.${name})`).join(', ')}, sum(u.cost_pico)
  FROM ${table} u LEFT JOIN billing.account a ON a.id = u.account_id
  WHERE ${condition} GROUP BY 1, 2, 3, 4, 5`;

/**
 * Works out the sums by key again from the log, for one account or for all; while others post, the caller holds the
 * journal. An account whose time zone may still change has no month that was taken out of the log.
 */
export async function rebuildHours(runs: Pick<EntityManager, 'query'>, accountId?: string): Promise<void> {
  const condition = accountId === undefined ? 'true' : 'u.account_id = $1';
  const values = accountId === undefined ? [] : [accountId];
  await runs.query(`DELETE FROM billing.usage_hour u WHERE ${condition}`, values);
  await runs.query(
    `INSERT INTO billing.usage_hour
       (account_id, hour, key_id, model, outcome, ${HOUR_SUMS.join(', ')})
     ${hourSums('(SELECT *, 1 AS requests FROM billing.usage)', condition)}`,
    values,
  );
}

/** Works out the sums of whole accounts again from those by key, under the same condition. */
export async function rebuildAccountHours(
  runs: Pick<EntityManager, 'query'>,
  accountId?: string,
): Promise<void> {
  const where = accountId === undefined ? '' : 'WHERE account_id = $1';
  const values = accountId === undefined ? [] : [accountId];
  await runs.query(`DELETE FROM billing.account_hour ${where}`, values);
  await runs.query(
    `WITH hours AS NOT MATERIALIZED (SELECT * FROM billing.usage_hour ${where})
     INSERT INTO billing.account_hour
       (account_id, hour, model, outcome, ${HOUR_SUMS.join(', ')})
     SELECT account_id, hour, model, outcome, ${HOUR_SUMS.map((name) => `sum(${name})`).join(', ')}
     FROM hours GROUP BY 1, 2, 3, 4`,
    values,
  );
}
