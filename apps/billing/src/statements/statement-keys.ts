import { formatUsd } from '@tollgate/money';
import { column, readRows } from '@tollgate/platform';
import type { UnitKind } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { ALL_TOKENS } from '../periods/booked-months.ts';
import { toCountFields, UNIT_COLUMNS } from '../usage/meter-columns.ts';
import { readCounts } from '../usage/usage-lines.ts';

/** What one key used in a month. */
export interface KeyLine {
  readonly key_id: string;
  readonly name: string;
  readonly masked: string;
  readonly is_deleted: boolean;
  readonly requests: number;
  /** Of every kind. */
  readonly tokens: number;
  /** What is charged beside tokens; kinds that were used. */
  readonly units: Readonly<Partial<Record<UnitKind, number>>>;
  readonly cost_usd: string;
}

const keyLineRow = z.object({
  key_id: column.uuid,
  name: column.text.nullable(),
  masked: column.text.nullable(),
  deleted_at: column.timestamp.nullable(),
  requests: column.bigint,
  tokens: column.bigint,
  cost_pico: column.bigint,
  ...toCountFields(UNIT_COLUMNS),
});

/** A month of an account by its keys, the most expensive first; the sum is the statement's usage. */
export async function keyLines(database: DataSource, accountId: string, month: string): Promise<KeyLine[]> {
  const rows = await readRows(
    database,
    keyLineRow,
    `SELECT u.*, k.name, k.masked, k.deleted_at FROM (
       SELECT key_id, sum(requests) AS requests, sum(cost_pico) AS cost_pico, sum(${ALL_TOKENS}) AS tokens,
         ${UNIT_COLUMNS.map((name) => `sum(${name}) AS ${name}`).join(', ')}
       FROM billing.usage_month WHERE account_id = $1 AND month = ($2 || '-01')::date GROUP BY key_id) AS u
     LEFT JOIN billing.api_key k ON k.id = u.key_id
     ORDER BY u.cost_pico DESC, u.key_id`,
    [accountId, month],
  );
  return rows.map(({ key_id, name, masked, deleted_at, requests, tokens, cost_pico, ...units }) => ({
    key_id,
    name: name ?? '',
    masked: masked ?? '',
    is_deleted: name === null || deleted_at !== null,
    requests: Number(requests),
    tokens: Number(tokens),
    units: readCounts(units),
    cost_usd: formatUsd(BigInt(cost_pico)),
  }));
}
