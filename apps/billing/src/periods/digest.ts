import { createSHA256, type IHasher } from 'hash-wasm';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Span } from './calendar.ts';
import { toValues, WITHIN } from './totals.ts';

const exactly = (column: string): string =>
  `to_char(t.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** What a transaction has had since there is one for many requests; of those from before, all three say nothing. */
const LATER = ['t.numbers', "encode(t.digest, 'hex')", 't.refunded_request'];
/**
 * The month is found by its account, by whatever the outer order says: its numbers may lie far apart, and whoever walks through the
 * journal in its order until they come reads everybody's.
 */
const ROWS = `
  SELECT t.number, t.kind, t.account_id, t.request_id, t.idempotency_key, ${exactly('occurred_at')},
    ${exactly('booked_at')}, ${exactly('posted_at')}, t.actor, t.reason, t.corrects, ${LATER.join(', ')},
    e.ledger_account, e.amount_pico
  FROM (
    SELECT * FROM (
      SELECT * FROM billing.ledger_transaction WHERE ${WITHIN} AND number > $5 OFFSET 0) own
    ORDER BY number) t
  LEFT JOIN billing.ledger_entry e ON e.number = t.number
  ORDER BY t.number, e.ledger_account COLLATE "C"`;
const ALWAYS = 11;
const OF_TRANSACTION = ALWAYS + LATER.length;
const ROWS_AT_ONCE = 5_000;

type Row = readonly (string | null)[];

/** A place behind a transaction of a span, from which its digest goes on. */
export const digestPlaceSchema = z.object({
  number: z.string(),
  /** Numbers of transactions up to there. */
  checked: z.int(),
  /** What the hash has come to, in base64. */
  state: z.string(),
});
type DigestPlace = z.infer<typeof digestPlaceSchema>;

/** From where to go on, how often to tell the place, and to whom. */
interface DigestProgress {
  readonly begun: DigestPlace | null;
  readonly every: number;
  readonly reached: (place: DigestPlace) => Promise<void>;
}

/**
 * SHA-256 over a span's transactions and entries as they stand, in lower-case hexadecimal. What is hashed is lines of
 * JSON: for every transaction, by number, an array of its columns, each as text or null, and after it an array
 * `[ledger account, pico-USD]` for each of its entries, in code unit order of the account. The columns are eleven, or
 * fourteen of a transaction that has a digest of its own or names the request that it refunds. Rows are streamed.
 */
export async function computeDigest(
  manager: EntityManager,
  span: Span,
  { begun, every, reached }: DigestProgress,
): Promise<string> {
  const client: unknown = await manager.queryRunner?.connect();
  if (!(client instanceof pg.Client)) throw new Error('a digest is taken within a transaction of pg');
  const { hash, from } = await resume(begun);
  const stream = client.query(
    new QueryStream(ROWS, [...toValues(span), from.number], { rowMode: 'array', batchSize: ROWS_AT_ONCE }),
  );
  let { number: last, checked } = from;
  let saved = checked;
  for await (const row of stream as AsyncIterable<Row>) {
    const [number] = row;
    if (number && number !== last) {
      if (checked - saved >= every) {
        saved = checked;
        await reached({ number: last, checked, state: Buffer.from(hash.save()).toString('base64') });
      }
      hash.update(line(row.slice(0, hasLater(row) ? OF_TRANSACTION : ALWAYS)));
      checked += Number(row[ALWAYS]);
      last = number;
    }
    if (row[OF_TRANSACTION] !== null) hash.update(line(row.slice(OF_TRANSACTION)));
  }
  return hash.digest('hex');
}

const START = { number: '0', checked: 0 };

/** A state that another version of the hash's library left is of no use: the digest begins again. */
async function resume(
  begun: DigestPlace | null,
): Promise<{ hash: IHasher; from: Pick<DigestPlace, 'number' | 'checked'> }> {
  const hash = (await createSHA256()).init();
  if (!begun) return { hash, from: START };
  try {
    return { hash: hash.load(Buffer.from(begun.state, 'base64')), from: begun };
  } catch {
    return { hash: hash.init(), from: START };
  }
}

const hasLater = (row: Row): boolean => row.slice(ALWAYS + 1, OF_TRANSACTION).some((value) => value !== null);
const line = (values: Row): string => `${JSON.stringify(values)}\n`;
