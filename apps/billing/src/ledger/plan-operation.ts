import type { LedgerOperation } from '@tollgate/api';
import { formatUsd, parseUsd } from '@tollgate/money';
import { column, hasRows, httpError, readRow } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type BilledRequest, findBilledRequest, findRequestBehind, readRemaining } from './billed-request.ts';
import {
  adjustmentEntries,
  grantEntries,
  paymentEntries,
  payoutEntries,
  refundEntries,
  reversedEntries,
  writeOffEntries,
} from './entries.ts';
import type { LedgerEntry } from './journal.ts';
import { customer } from './ledger-accounts.ts';
import { type BookedTransaction, readBalance, readTransaction } from './transactions.ts';

/** What an operation would write. */
interface PlannedOperation {
  readonly accountId: string;
  readonly entries: readonly LedgerEntry[];
  readonly corrects?: number;
  readonly refundedRequest?: string;
}

/**
 * Works an operation out against the books as they are. Must hold the journal, or they may have changed since.
 *
 * @throws HttpException 400 for what is not there, 409 for what the books do not allow.
 */
export async function planOperation(
  manager: EntityManager,
  operation: LedgerOperation,
): Promise<PlannedOperation> {
  switch (operation.kind) {
    case 'refund':
      return planRefund(manager, operation);
    case 'correction':
      return planCorrection(manager, operation);
    default:
      return planAmount(manager, operation);
  }
}

type AmountOperation = Exclude<LedgerOperation, { readonly kind: 'refund' | 'correction' }>;

async function planAmount(manager: EntityManager, operation: AmountOperation): Promise<PlannedOperation> {
  const { kind, account_id: accountId } = operation;
  const amount = parseUsd(operation.amount_usd);
  if (!(await hasRows(manager, 'SELECT 1 FROM billing.account WHERE id = $1', [accountId])))
    throw httpError(400, 'account_id: there is no such account.', 'account_id', 'no_such_account');
  const { balancePico } = await readBalance(manager, accountId);
  const planned = (entries: LedgerEntry[]): PlannedOperation => ({ accountId, entries });
  switch (kind) {
    case 'payment':
      return planned(paymentEntries(accountId, amount));
    case 'grant':
      return planned(grantEntries(accountId, amount));
    case 'adjustment':
      return planned(adjustmentEntries(accountId, amount));
    case 'payout':
      requireWithin(amount, balancePico, 'balance_too_low');
      return planned(payoutEntries(accountId, amount));
    case 'write_off':
      requireWithin(amount, -balancePico, 'write_off_too_large');
      return planned(writeOffEntries(accountId, amount));
  }
}

async function planRefund(
  manager: EntityManager,
  { request_id, transaction, amount_usd }: Extract<LedgerOperation, { kind: 'refund' }>,
): Promise<PlannedOperation> {
  const paid =
    request_id === undefined
      ? await findOnlyRequest(manager, transaction ?? 0)
      : await findBilledRequest(manager, { requestId: request_id });
  if (!paid)
    throw httpError(
      400,
      'request_id: no such request is posted (yet).',
      'request_id',
      'no_such_posted_request',
    );
  const remaining = await readRemaining(manager, paid);
  const amount = amount_usd === undefined ? remaining : parseUsd(amount_usd);
  requireWithin(amount, remaining, 'refund_too_large');
  return {
    accountId: paid.accountId,
    entries: refundEntries(paid, amount),
    corrects: paid.number,
    refundedRequest: paid.requestId,
  };
}

/** The request of a transaction that is of one. */
async function findOnlyRequest(manager: EntityManager, number: number): Promise<BilledRequest | undefined> {
  const transaction = await readTransaction(manager, { number });
  if (!transaction)
    throw httpError(
      400,
      'transaction: there is no transaction of that number.',
      'transaction',
      'no_such_transaction',
    );
  if (transaction.kind !== 'usage')
    throw httpError(
      409,
      'Only usage is refunded. Undo this one with a correction.',
      'transaction',
      'usage_refunded_only',
    );
  const requests = transaction.number - transaction.firstNumber + 1;
  if (requests > 1)
    throw httpError(
      409,
      `This transaction is of ${requests} requests. Name the one by its request_id.`,
      'transaction',
      'transaction_of_many_requests',
      { requests },
    );
  return findBilledRequest(manager, { number });
}

const correctionRow = z.object({ number: column.bigint });

async function planCorrection(
  manager: EntityManager,
  { transaction }: Extract<LedgerOperation, { kind: 'correction' }>,
): Promise<PlannedOperation> {
  const wrong = await readTransaction(manager, { number: transaction });
  if (!wrong)
    throw httpError(
      400,
      'transaction: there is no transaction of that number.',
      'transaction',
      'no_such_transaction',
    );
  if (wrong.kind === 'usage') {
    throw httpError(
      409,
      'Usage is not undone. Give the customer the money back with a refund.',
      'transaction',
      'usage_not_undone',
    );
  }
  if (wrong.kind === 'lost_attempt') {
    throw httpError(
      409,
      'What an attempt may have cost is not undone: the reconciliation with the invoice shows what it did cost.',
      'transaction',
      'attempt_not_undone',
    );
  }
  const earlier = await readRow(
    manager,
    correctionRow,
    `SELECT number FROM billing.ledger_transaction WHERE corrects = $1 AND kind = 'correction'`,
    [wrong.number],
  );
  if (earlier) {
    throw httpError(
      409,
      `It is corrected already, by transaction ${earlier.number}.`,
      'transaction',
      'corrected_already',
    );
  }
  const entries = reversedEntries(wrong.entries);
  await requireWithinUsage(manager, wrong, entries);
  return { accountId: wrong.accountId, entries, corrects: wrong.number };
}

/** A refund that comes into force again must still fit into what the request cost. */
async function requireWithinUsage(
  manager: EntityManager,
  wrong: BookedTransaction,
  entries: readonly LedgerEntry[],
): Promise<void> {
  const request = await findRequestBehind(manager, wrong.number);
  if (!request) return;
  const given = entries.find(({ ledgerAccount }) => ledgerAccount === customer(wrong.accountId));
  const remaining = await readRemaining(manager, request);
  requireWithin(given?.amountPico ?? 0n, remaining, 'refund_too_large', 'transaction');
}

/** What may not be gone beyond, by the code of the refusal. */
const BOUNDS = {
  balance_too_low: 'The balance of the account',
  write_off_too_large: 'The debt of the account',
  refund_too_large: 'What is left to give back',
} as const;

function requireWithin(amount: bigint, max: bigint, code: keyof typeof BOUNDS, field = 'amount_usd'): void {
  if (max > 0n ? amount <= max : amount < 0n) return;
  const values = { max: formatUsd(max > 0n ? max : 0n) };
  throw httpError(409, `${BOUNDS[code]} is ${values.max} USD.`, field, code, values);
}
