import type { AnswerOf, redemption } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

interface Page {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

type Batches = AnswerOf<typeof redemption.listRedemptionBatches>;
type Codes = AnswerOf<typeof redemption.listRedemptionCodes>;

const batchRow = z.object({
  id: column.uuid,
  amount_pico: column.bigint,
  expires_at: column.timestamp.nullable(),
  note: column.text,
  created_by: column.text,
  created_at: column.timestamp,
  codes: column.bigint,
  redeemed: column.bigint,
  revoked: column.bigint,
});

/** Batches of codes with what became of them, the newest first. */
export async function listBatches(database: DataSource, { cursor, limit }: Page): Promise<Batches> {
  const rows = await readRows(
    database,
    batchRow,
    `SELECT b.*, c.* FROM billing.redemption_batch b
     CROSS JOIN LATERAL (
       SELECT count(*) AS codes, count(redeemed_at) AS redeemed, count(revoked_at) AS revoked
       FROM billing.redemption_code WHERE batch_id = b.id
     ) c
     WHERE $1::uuid IS NULL OR b.id < $1 ORDER BY b.id DESC LIMIT $2`,
    [cursor ?? null, limit + 1],
  );
  return toPage(rows, limit, (row) => ({
    id: row.id,
    amount_usd: formatUsd(BigInt(row.amount_pico)),
    expires_at: row.expires_at?.toISOString() ?? null,
    note: row.note,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    count: Number(row.codes),
    redeemed: Number(row.redeemed),
    revoked: Number(row.revoked),
  }));
}

const codeRow = z.object({
  id: column.uuid,
  ending: column.text,
  redeemed_at: column.timestamp.nullable(),
  redeemed_by: column.text.nullable(),
  number: column.bigint.nullable(),
  revoked_at: column.timestamp.nullable(),
  revoked_by: column.text.nullable(),
  revoked_why: column.text.nullable(),
});

/** The codes of a batch: recognisable by their ending, not usable. */
export async function listCodes(
  database: DataSource,
  batchId: string,
  { cursor, limit }: Page,
): Promise<Codes> {
  const rows = await readRows(
    database,
    codeRow,
    `SELECT * FROM billing.redemption_code
     WHERE batch_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
    [batchId, cursor ?? null, limit + 1],
  );
  return toPage(rows, limit, (row) => ({
    id: row.id,
    masked: `…-${row.ending}`,
    status: row.redeemed_at ? 'redeemed' : row.revoked_at ? 'revoked' : 'open',
    redeemed_at: row.redeemed_at?.toISOString() ?? null,
    redeemed_by: row.redeemed_by,
    transaction: row.number === null ? null : Number(row.number),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    revoked_by: row.revoked_by,
    revoked_why: row.revoked_why,
  }));
}

function toPage<Row extends { readonly id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Item,
): { items: Item[]; next: string | null } {
  const items = rows.slice(0, limit);
  return { items: items.map(show), next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
