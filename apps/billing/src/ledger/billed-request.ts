import { column, readRow } from '@tollgate/platform';
import { z } from 'zod';
import { usageRows } from '../periods/usage-rows.ts';
import { customer, REVENUE } from './ledger-accounts.ts';
import { type BookedTransaction, type Reader, readTransaction } from './transactions.ts';

/** What a request cost, and where it was booked. */
export interface BilledRequest {
  readonly requestId: string;
  /** Of the transaction that it is in. */
  readonly number: number;
  readonly accountId: string;
  readonly vendor: string;
  readonly costPico: bigint;
}

const billedRow = z.object({
  request_id: column.text,
  number: column.bigint,
  account_id: column.uuid,
  vendor: column.text,
  cost_pico: column.bigint,
});

/** A request by its id, or by a number of the ledger that is its own; undefined where it is not posted. */
export async function findBilledRequest(
  reader: Reader,
  by: { readonly requestId: string } | { readonly number: number },
): Promise<BilledRequest | undefined> {
  const [name, value] = 'number' in by ? ['number', by.number] : ['request_id', by.requestId];
  const row = await readRow(
    reader,
    billedRow,
    `SELECT * FROM (${await usageRows(reader, Object.keys(billedRow.shape))}) AS usage WHERE ${name} = $1`,
    [value],
  );
  if (row) {
    const transaction = await readTransaction(reader, { number: Number(row.number) });
    return (
      transaction && {
        requestId: row.request_id,
        number: transaction.number,
        accountId: row.account_id,
        vendor: row.vendor,
        costPico: BigInt(row.cost_pico),
      }
    );
  }
  // Its row left with its month. What was posted before transactions were of many requests tells by itself what it cost.
  return toBilledRequest(await readTransaction(reader, by));
}

function toBilledRequest(transaction: BookedTransaction | undefined): BilledRequest | undefined {
  if (transaction?.kind !== 'usage' || transaction.requestId === null) return undefined;
  const earned = transaction.entries.find(({ ledgerAccount }) => ledgerAccount.startsWith(REVENUE));
  return {
    requestId: transaction.requestId,
    number: transaction.number,
    accountId: transaction.accountId,
    vendor: earned?.ledgerAccount.slice(REVENUE.length) ?? '',
    costPico: earned?.amountPico ?? 0n,
  };
}

const takenRow = z.object({ taken: column.bigint });

/** What of a request is still paid: its cost less refunds that were not undone. */
export async function readRemaining(reader: Reader, request: BilledRequest): Promise<bigint> {
  const row = await readRow(
    reader,
    takenRow,
    // A refund of a transaction of one request did not name it once.
    `WITH RECURSIVE about (number) AS (
       SELECT number FROM billing.ledger_transaction
       WHERE kind = 'refund' AND corrects = $1 AND coalesce(refunded_request, $2) = $2
       UNION ALL SELECT t.number FROM billing.ledger_transaction t JOIN about ON t.corrects = about.number
     )
     SELECT coalesce(sum(e.amount_pico), 0) AS taken
     FROM billing.ledger_entry e JOIN about USING (number) WHERE e.ledger_account = $3`,
    [request.number, request.requestId, customer(request.accountId)],
  );
  return request.costPico - BigInt(row?.taken ?? 0);
}

const refundRow = z.object({ number: column.bigint, refunded_request: column.text.nullable() });

/** The request that a refund, or a correction of one, is about. */
export async function findRequestBehind(reader: Reader, number: number): Promise<BilledRequest | undefined> {
  const row = await readRow(
    reader,
    refundRow,
    `WITH RECURSIVE above AS (
       SELECT * FROM billing.ledger_transaction WHERE number = $1
       UNION ALL SELECT t.* FROM billing.ledger_transaction t JOIN above ON t.number = above.corrects
     )
     SELECT corrects AS number, refunded_request FROM above WHERE kind = 'refund'`,
    [number],
  );
  if (!row) return undefined;
  return findBilledRequest(
    reader,
    row.refunded_request === null ? { number: Number(row.number) } : { requestId: row.refunded_request },
  );
}
