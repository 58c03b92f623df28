import { createHash } from 'node:crypto';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import type { EntityManager } from 'typeorm';
import type { Span } from './calendar.ts';
import { toValues, WITHIN } from './totals.ts';

const exactly = (column: string): string =>
  `to_char(t.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** What a transaction has had since there is one for many requests; of those from before, all three say nothing. */
const LATER = ['t.numbers', "encode(t.digest, 'hex')", 't.refunded_request'];
const ROWS = `
  SELECT t.number, t.kind, t.account_id, t.request_id, t.idempotency_key, ${exactly('occurred_at')},
    ${exactly('booked_at')}, ${exactly('posted_at')}, t.actor, t.reason, t.corrects, ${LATER.join(', ')},
    e.ledger_account, e.amount_pico
  FROM (SELECT * FROM billing.ledger_transaction WHERE ${WITHIN}) t
  LEFT JOIN billing.ledger_entry e ON e.number = t.number
  ORDER BY t.number, e.ledger_account COLLATE "C"`;
const ALWAYS = 11;
const OF_TRANSACTION = ALWAYS + LATER.length;
const ROWS_AT_ONCE = 5_000;

type Row = readonly (string | null)[];

/**
 * SHA-256 over a span's transactions and entries as they stand, in lower-case hexadecimal. What is hashed is lines of
 * JSON: for every transaction, by number, an array of its columns, each as text or null, and after it an array
 * `[ledger account, pico-USD]` for each of its entries, in code unit order of the account. The columns are eleven, or
 * fourteen of a transaction that has a digest of its own or names the request that it refunds. Rows are streamed.
 */
export async function computeDigest(manager: EntityManager, span: Span): Promise<string> {
  const client: unknown = await manager.queryRunner?.connect();
  if (!(client instanceof pg.Client)) throw new Error('a digest is taken within a transaction of pg');
  const hash = createHash('sha256');
  const stream = client.query(
    new QueryStream(ROWS, toValues(span), { rowMode: 'array', batchSize: ROWS_AT_ONCE }),
  );
  let last: string | null | undefined;
  for await (const row of stream as AsyncIterable<Row>) {
    if (row[0] !== last) hash.update(line(row.slice(0, hasLater(row) ? OF_TRANSACTION : ALWAYS)));
    last = row[0];
    if (row[OF_TRANSACTION] !== null) hash.update(line(row.slice(OF_TRANSACTION)));
  }
  return hash.digest('hex');
}

const hasLater = (row: Row): boolean => row.slice(ALWAYS + 1, OF_TRANSACTION).some((value) => value !== null);
const line = (values: Row): string => `${JSON.stringify(values)}\n`;
