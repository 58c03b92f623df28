import { TOKEN_KINDS } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

const sumOf = (isWanted: (kind: string) => boolean): string =>
  `sum(${TOKEN_KINDS.filter(isWanted)
    .map((kind) => `u.tokens_${kind}`)
    .join(' + ')})`;

/** The rows of a table like the usage log as rows of `billing.usage_hour`; hours are those of the account's clock. */
export const hourSums = (table: string, condition = 'true'): string => `
  SELECT u.account_id, date_trunc('hour', u.occurred_at, coalesce(a.time_zone, 'UTC')) AS hour, u.key_id, u.model,
    u.outcome, count(*), ${sumOf((kind) => !kind.startsWith('output'))},
    ${sumOf((kind) => kind.startsWith('output'))}, sum(u.cost_pico)
  FROM ${table} u LEFT JOIN billing.account a ON a.id = u.account_id
  WHERE ${condition} GROUP BY 1, 2, 3, 4, 5`;

/**
 * Works the sums out anew from the log, for one account or for all; the caller holds the journal while anybody posts.
 * An account whose time zone may still change has no month that was taken out of the log.
 */
export async function rebuildHours(runs: Pick<EntityManager, 'query'>, accountId?: string): Promise<void> {
  const condition = accountId === undefined ? 'true' : 'u.account_id = $1';
  const values = accountId === undefined ? [] : [accountId];
  await runs.query(`DELETE FROM billing.usage_hour u WHERE ${condition}`, values);
  await runs.query(
    `INSERT INTO billing.usage_hour
       (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
     ${hourSums('billing.usage', condition)}`,
    values,
  );
}
