import { momentSchema } from '@tollgate/contracts';
import { FIELD_RULES, TRANSACTION_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import {
  EXAMPLE_ID,
  idempotencyHeaders,
  positiveUsd,
  REPORT_ERRORS,
  sortBy,
  timestamp,
  usdAmount,
  WINDOW_ORDERED,
} from './common.ts';
import { isUsd, plainText } from './fields.ts';
import { audits } from './ledger-audits.ts';
import { defineResource } from './route.ts';

const signedUsd = z
  .string()
  .refine((text) => isUsd(text, (pico) => pico !== 0n), FIELD_RULES.not_nonzero_usd)
  .meta({ description: 'Decimal USD, of at most 12 places; below zero lowers the balance' });

const reason = plainText(500).meta({
  description: 'Why. The customer reads it in the list of transactions.',
});
const account_id = z.uuid().toLowerCase();

const moneyBody = (why: string) =>
  z
    .strictObject({ account_id, amount_usd: positiveUsd, reason })
    .meta({ examples: [{ account_id: EXAMPLE_ID, amount_usd: '12.50', reason: why }] });

const paymentBody = moneyBody('Bank transfer of 21 November');
const grantBody = moneyBody('Welcome credit');
const payoutBody = moneyBody('The account was closed');
const writeOffBody = moneyBody('Not to be collected');

const adjustmentBody = z
  .strictObject({ account_id, amount_usd: signedUsd, reason })
  .meta({ examples: [{ account_id: EXAMPLE_ID, amount_usd: '-2.50', reason: 'Carried over twice' }] });

const refundBody = z
  .strictObject({
    request_id: plainText(64).optional(),
    transaction: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'Number of a usage transaction of one request' }),
    amount_usd: positiveUsd
      .optional()
      .meta({ description: 'Decimal USD above zero; without it all that is left of what was paid' }),
    reason,
  })
  .refine(({ request_id, transaction }) => (request_id === undefined) !== (transaction === undefined), {
    error: FIELD_RULES.request_or_transaction,
    path: ['request_id'],
  })
  .meta({ examples: [{ request_id: 'req_1f0c5e0b7a2d', reason: 'The answer was cut off' }] });

const correctionBody = z
  .strictObject({
    transaction: z.int().positive().meta({ description: 'Number of the transaction to undo' }),
    reason,
  })
  .meta({ examples: [{ transaction: 1042, reason: 'Entered for the wrong account' }] });

/** Everything that people may enter in the ledger. */
export type LedgerOperation =
  | ({ readonly kind: 'payment' } & z.infer<typeof paymentBody>)
  | ({ readonly kind: 'grant' } & z.infer<typeof grantBody>)
  | ({ readonly kind: 'payout' } & z.infer<typeof payoutBody>)
  | ({ readonly kind: 'write_off' } & z.infer<typeof writeOffBody>)
  | ({ readonly kind: 'adjustment' } & z.infer<typeof adjustmentBody>)
  | ({ readonly kind: 'refund' } & z.infer<typeof refundBody>)
  | ({ readonly kind: 'correction' } & z.infer<typeof correctionBody>);

const kind = z.enum(TRANSACTION_KINDS);

/** What a customer sees of a transaction. */
export const customerTransaction = z
  .object({
    number: z.int().meta({ description: 'Its place in the ledger: the last of its numbers' }),
    first_number: z.int().meta({
      description:
        'The first of its numbers: usage of many requests has one for each, as the usage log names them',
    }),
    kind,
    account_id: z.uuid(),
    request_id: z.string().nullable().meta({ description: 'Of usage of one request, and of a refund' }),
    corrects: z.int().nullable().meta({ description: 'Number of the transaction that it refunds or undoes' }),
    amount_usd: usdAmount.meta({ description: "What it did to the customer's balance" }),
    occurred_at: timestamp,
    booked_at: timestamp.meta({ description: 'The moment it counts at' }),
    posted_at: timestamp,
    reason: z.string().nullable(),
  })
  .meta({ id: 'CustomerTransaction' });

const transaction = customerTransaction
  .extend({
    actor: z.string().nullable().meta({ description: 'Who entered it' }),
    idempotency_key: z.string().nullable(),
    entries: z
      .array(z.object({ ledger_account: z.string(), amount_usd: usdAmount }))
      .meta({ description: 'They sum to zero' }),
  })
  .meta({ id: 'Transaction', description: 'A transaction as those who keep the books see it' });

/** What only those who may read every account are shown. */
const bookkeeping = transaction.pick({ actor: true, idempotency_key: true, entries: true }).partial();
const listedTransaction = customerTransaction
  .extend({ ...bookkeeping.shape, account_name: z.string().nullable().optional() })
  .meta({
    id: 'ListedTransaction',
    description: 'With its entries and who entered it for those with `ledger:read-all`',
  });
const shownTransaction = customerTransaction
  .extend({
    ...bookkeeping.shape,
    corrected_by: z.array(z.int()).meta({ description: 'Numbers of its refunds and corrections' }),
  })
  .meta({ id: 'ShownTransaction' });

const account = { in: 'query', name: 'account_id', others: 'ledger:read-all' } as const;

const transactionFilters = {
  account_id: z
    .union([account_id, z.literal('all')])
    .optional()
    .meta({
      description: 'Your own without it; `all` for those who keep the books',
      examples: [EXAMPLE_ID],
    }),
  kind: kind.optional(),
  from: momentSchema
    .optional()
    .meta({ description: 'Of booked_at, inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: momentSchema
    .optional()
    .meta({ description: 'Of booked_at, exclusive', examples: ['2026-12-01T00:00:00Z'] }),
};

export const ledger = defineResource({
  getBalance: {
    method: 'GET',
    path: '/api/ledger/balance',
    summary: 'Show the balance of an account',
    description: 'What was paid in less what was used, as of a transaction.',
    permission: 'ledger:read',
    account,
    query: z.object({
      account_id: account_id.optional().meta({ examples: [EXAMPLE_ID] }),
    }),
    answer: z
      .object({
        account_id: z.uuid(),
        balance_usd: usdAmount,
        last_number: z
          .int()
          .meta({ description: 'The transaction that changed it last; 0 before the first' }),
      })
      .meta({ id: 'Balance' }),
  },
  listTransactions: {
    method: 'GET',
    path: '/api/ledger/transactions',
    summary: 'List transactions, the newest first',
    description: WINDOW_ORDERED,
    permission: 'ledger:read',
    account,
    query: z.object({
      ...transactionFilters,
      sort: sortBy(['number', 'amount']),
      cursor: z
        .string()
        .regex(/^\d{1,15}(?:,-?\d{1,38},\d{1,15})?$/, FIELD_RULES.not_a_cursor)
        .optional()
        .meta({ description: '`next` of the page before', examples: ['1042'] }),
      limit: z.coerce.number().int().min(1).max(500).default(50),
    }),
    answer: z
      .object({
        items: z.array(listedTransaction),
        next: z.string().nullable().meta({ description: 'The cursor of the next page; null at the end' }),
      })
      .meta({ id: 'TransactionPage' }),
    errors: REPORT_ERRORS,
  },
  sumTransactions: {
    method: 'GET',
    path: '/api/ledger/totals',
    summary: 'Add up what transactions did to balances of customers',
    permission: 'ledger:read',
    account,
    query: z.object(transactionFilters),
    answer: z.object({ transactions: z.int(), amount_usd: usdAmount }).meta({ id: 'TransactionTotals' }),
    errors: REPORT_ERRORS,
  },
  getTransaction: {
    method: 'GET',
    path: '/api/ledger/transactions/:number',
    summary: 'Show a transaction',
    permission: 'ledger:read',
    params: z.strictObject({
      number: z
        .string()
        .regex(/^[1-9]\d{0,14}$/, 'There is no such transaction.')
        .meta({ examples: ['1042'] }),
    }),
    answer: shownTransaction,
  },
  ...audits,
});

/** Every transaction that people enter is entered once for its key. */
const entered = {
  method: 'POST',
  permission: 'ledger:write',
  headers: idempotencyHeaders,
  status: 201,
  otherSuccess: { 200: 'It was entered before, with the same key.' },
  answer: transaction,
  errors: { 409: 'The key was used for something else, or the books do not allow it.' },
} as const;

export const ledgerOperations = defineResource({
  enterPayment: {
    ...entered,
    path: '/api/ledger/payments',
    summary: 'Enter money that a customer paid',
    body: paymentBody,
  },
  enterGrant: { ...entered, path: '/api/ledger/grants', summary: 'Give credit away', body: grantBody },
  enterPayout: {
    ...entered,
    path: '/api/ledger/payouts',
    summary: 'Pay a customer out of their balance',
    reauthenticate: true,
    body: payoutBody,
  },
  enterRefund: {
    ...entered,
    path: '/api/ledger/refunds',
    summary: 'Give back what a request cost, or a part of it',
    body: refundBody,
  },
  enterCorrection: {
    ...entered,
    path: '/api/ledger/corrections',
    summary: 'Undo a transaction that somebody entered',
    body: correctionBody,
  },
  enterAdjustment: {
    ...entered,
    path: '/api/ledger/adjustments',
    summary: 'Raise or lower a balance',
    body: adjustmentBody,
  },
  enterWriteOff: {
    ...entered,
    path: '/api/ledger/write-offs',
    summary: 'Give up a debt',
    body: writeOffBody,
  },
});
