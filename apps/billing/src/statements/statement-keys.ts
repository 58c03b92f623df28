import { TOKEN_KINDS } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import type { DataSource } from 'typeorm';
import { valuesOf, WITHIN } from '../periods/totals.ts';
import { usageRows } from '../periods/usage-rows.ts';

/** What one key used in a month. */
export interface KeyLine {
  readonly key_id: string;
  readonly name: string;
  readonly masked: string;
  readonly is_deleted: boolean;
  readonly requests: number;
  /** Of every kind. */
  readonly tokens: number;
  readonly cost_usd: string;
}

const TOKEN_COLUMNS = TOKEN_KINDS.map((kind) => `tokens_${kind}`);

/** A month of an account by its keys, the dearest first; the sum is the statement's usage. */
export async function keyLines(
  database: DataSource,
  accountId: string,
  month: { readonly from: string; readonly to: string; readonly as_of_number: number | null },
): Promise<KeyLine[]> {
  const source = await usageRows(database.manager, [
    'account_id',
    'booked_at',
    'number',
    'key_id',
    'cost_pico',
    ...TOKEN_COLUMNS,
  ]);
  const rows: {
    key_id: string;
    name: string | null;
    masked: string | null;
    deleted_at: Date | null;
    requests: string;
    tokens: string;
    cost_pico: string;
  }[] = await database.query(
    `SELECT u.*, k.name, k.masked, k.deleted_at FROM (
       SELECT key_id, count(*) AS requests, sum(cost_pico) AS cost_pico, sum(${TOKEN_COLUMNS.join(' + ')}) AS tokens
       FROM (${source}) AS usage WHERE ${WITHIN} GROUP BY key_id) AS u
     LEFT JOIN billing.api_key k ON k.id = u.key_id
     ORDER BY u.cost_pico DESC, u.key_id`,
    valuesOf({
      accountId,
      from: month.from,
      to: month.to,
      ...(month.as_of_number === null ? {} : { asOf: month.as_of_number }),
    }),
  );
  return rows.map(({ key_id, name, masked, deleted_at, requests, tokens, cost_pico }) => ({
    key_id,
    name: name ?? '',
    masked: masked ?? '',
    is_deleted: name === null || deleted_at !== null,
    requests: Number(requests),
    tokens: Number(tokens),
    cost_usd: formatUsd(BigInt(cost_pico)),
  }));
}
