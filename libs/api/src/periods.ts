import { monthSchema } from '@tollgate/contracts';
import { FIELD_RULES, TOKEN_KINDS, TRANSACTION_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { EXAMPLE_ID, refusalValues, REPORT_ERRORS, timestamp, toIdSchema, usdAmount } from './common.ts';
import { defineResource } from './route.ts';
import { progress, verification } from './verification.ts';

/** One account, or all of them. */
const whose = { account_id: z.uuid().optional(), all: z.literal(true).optional() };
const namesOne = ({ account_id, all }: { account_id?: string | undefined; all?: true | undefined }) =>
  (account_id === undefined) !== (all === undefined);

const closeBody = z
  .strictObject({ ...whose, month: monthSchema, reason: z.string().trim().min(1).max(500) })
  .refine(namesOne, FIELD_RULES.account_or_all)
  .meta({ examples: [{ account_id: EXAMPLE_ID, month: '2026-11', reason: 'Month-end closing' }] });

const verifyBody = z
  .strictObject({
    ...whose,
    from_start: z
      .boolean()
      .default(false)
      .meta({ description: 'Reads months again that were found right before, and have the same hash' }),
  })
  .refine(namesOne, FIELD_RULES.account_or_all)
  .meta({ examples: [{ all: true }] });

const month = z.string().meta({ examples: ['2026-11'] });

const closing = {
  account_id: z.uuid(),
  month,
  time_zone: z.string(),
  from: timestamp,
  to: timestamp,
  closed_at: timestamp,
  closed_by: z.string(),
  reason: z.string(),
};
const hashes = {
  digest: z.string().meta({ description: "SHA-256 of the period's transactions and entries" }),
  previous_hash: z
    .string()
    .nullable()
    .meta({ description: "Of the account's period before; null for its first" }),
  hash: z.string().meta({ description: 'SHA-256 of `sealed` without it, as canonical JSON' }),
};
const numbers = {
  transactions: z.int(),
  first_number: z.int().nullable(),
  last_number: z.int().nullable(),
  requests: z.int(),
};

const closedPeriod = z
  .object({
    ...closing,
    opening_balance_usd: usdAmount,
    closing_balance_usd: usdAmount,
    ...numbers,
    ...hashes,
  })
  .meta({ id: 'ClosedPeriod', description: 'A month of an account that never changes any more' });

const pico = z.string().meta({ description: 'Whole pico-USD' });
const kind = z.enum(TRANSACTION_KINDS);
const usageLine = {
  vendor: z.string(),
  model: z.string(),
  upstream: z.string(),
  requests: z.int(),
  requests_of_unknown_cost: z.int(),
  tokens: z.partialRecord(z.enum(TOKEN_KINDS), z.int()),
  units: z.partialRecord(z.enum(UNIT_KINDS), z.int()).optional(),
};

/** What was hashed, to the letter: nothing of it may be left out, whatever an older release froze. */
const sealedPeriod = z.looseObject({
  ...closing,
  totals: z.looseObject({
    opening_balance_pico: pico,
    closing_balance_pico: pico,
    ...numbers,
    kinds: z.array(z.looseObject({ kind: z.string(), transactions: z.int(), amount_pico: pico })),
    ledger_accounts: z.array(z.looseObject({ ledger_account: z.string(), amount_pico: pico })),
    usage: z.array(
      z.looseObject({
        ...usageLine,
        tokens: z.record(z.string(), z.int()),
        units: z.record(z.string(), z.int()).optional(),
        cost_pico: pico,
        upstream_cost_pico: pico,
      }),
    ),
  }),
  ...hashes,
});

const shownPeriod = closedPeriod
  .extend({
    ledger_accounts: z.array(z.object({ ledger_account: z.string(), amount_usd: usdAmount })),
    kinds: z.array(z.object({ kind, transactions: z.int(), amount_usd: usdAmount })),
    usage: z.array(z.object({ ...usageLine, revenue_usd: usdAmount, upstream_cost_usd: usdAmount })),
    sealed: sealedPeriod,
  })
  .meta({ id: 'ShownPeriod' });

const openPeriod = z
  .object({ month, time_zone: z.string(), from: timestamp, to: timestamp })
  .meta({ id: 'OpenPeriod' });

const sealing = z
  .array(z.object({ account_id: z.uuid(), month, ...progress }))
  .meta({ description: 'Closed, and their totals are being worked out' });

/** What was booked for one account or many in one month or many. */
const booked = {
  usage_usd: usdAmount,
  credit_usd: usdAmount.meta({ description: 'Payments, grants and all else but usage, in sum' }),
  requests: z.int(),
};

const accountMonth = z
  .object({
    status: z
      .enum(['open', 'closed'])
      .nullable()
      .meta({ description: 'null where the books of the account do not have the month' }),
    ...booked,
  })
  .meta({ id: 'AccountMonth' });

const accountMonths = z
  .object({
    months: z.array(month).meta({ description: 'The oldest first' }),
    items: z.array(
      z
        .object({
          account_id: z.uuid(),
          account_name: z.string(),
          months: z.array(accountMonth).meta({ description: 'One for each of `months`' }),
          total: z.object(booked),
        })
        .meta({ id: 'AccountMonths' }),
    ),
    totals: z
      .array(z.object({ closed: z.int().meta({ description: 'Accounts that closed it' }), ...booked }))
      .meta({ description: 'Of all accounts that were found, one for each of `months`' }),
    total: z.object(booked).meta({ description: 'Of all accounts that were found' }),
    accounts: z.int().meta({ description: 'How many were found' }),
  })
  .meta({ id: 'MonthsByAccount' });

const monthsQuery = {
  to: monthSchema.optional().meta({
    description: 'The last month; the one it is now in UTC where it is left out',
    examples: ['2026-11'],
  }),
  months: z.coerce.number().int().min(1).max(24).default(6),
  find: z
    .string()
    .trim()
    .max(100)
    .optional()
    .meta({ description: 'A part of the name or of the e-mail address of somebody in it, or its id' }),
};

export const periods = defineResource({
  listAccountMonths: {
    method: 'GET',
    path: '/api/periods/accounts',
    summary: 'Show what was booked by account and month',
    description:
      'Those that used most in these months first. Months are those of each account; the sums are those that posting keeps.',
    permission: 'ledger:read-all',
    query: z.object({
      ...monthsQuery,
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: accountMonths,
    errors: REPORT_ERRORS,
  },
  downloadAccountMonths: {
    method: 'GET',
    path: '/api/periods/accounts.csv',
    summary: 'Download what was booked by account and month',
    description:
      'One line for each account, with exact amounts: usage of every month and in sum, then credit likewise.',
    permission: 'ledger:read-all',
    query: z.object(monthsQuery),
    answer: { contentType: 'text/csv; charset=utf-8' },
    errors: REPORT_ERRORS,
  },
  listPeriods: {
    method: 'GET',
    path: '/api/periods',
    summary: 'List the closed periods of an account, the newest first',
    description: 'And the one that is open.',
    permission: 'ledger:read-all',
    query: z.object({
      account_id: z
        .uuid()
        .optional()
        .meta({ description: 'Without it your own', examples: [EXAMPLE_ID] }),
    }),
    answer: z
      .object({ items: z.array(closedPeriod), sealing, open: openPeriod.nullable() })
      .meta({ id: 'Periods' }),
    errors: REPORT_ERRORS,
  },
  getPeriod: {
    method: 'GET',
    path: '/api/periods/:account/:month',
    summary: 'Show a closed period with all that was frozen',
    permission: 'ledger:read-all',
    params: z.strictObject({ account: z.string().meta({ examples: [EXAMPLE_ID] }), month }),
    answer: shownPeriod,
    errors: REPORT_ERRORS,
  },
  closePeriods: {
    method: 'POST',
    path: '/api/periods/close',
    summary: 'Close a month for good',
    description:
      'Of one account or of all. Closing what is closed answers what is there; of all accounts, those that cannot be closed say why. A large month is closed at once and sealed in the background.',
    permission: 'ledger:write',
    body: closeBody,
    answer: z
      .object({
        closed: z.array(closedPeriod),
        sealing,
        refused: z.array(
          z.object({
            account_id: z.uuid(),
            message: z.string(),
            code: z.string().meta({ description: 'Why, as of a refusal' }),
            values: refusalValues,
          }),
        ),
      })
      .meta({ id: 'PeriodClosing' }),
    errors: { ...REPORT_ERRORS, 409: 'The month of this account cannot be closed yet.' },
  },
  verifyPeriods: {
    method: 'POST',
    path: '/api/periods/verify',
    summary: 'Check closed periods against the ledger',
    description:
      'They are worked out again and compared with what was frozen. It goes on in the background where it takes more than a moment, and where a process is killed meanwhile.',
    permission: 'ledger:write',
    audited: false,
    body: verifyBody,
    answer: verification,
    errors: REPORT_ERRORS,
  },
  listVerifications: {
    method: 'GET',
    path: '/api/verifications',
    summary: 'List the newest verifications of closed periods',
    permission: 'ledger:read-all',
    answer: z.object({ items: z.array(verification) }).meta({ id: 'PeriodVerifications' }),
    errors: REPORT_ERRORS,
  },
  getVerification: {
    method: 'GET',
    path: '/api/verifications/:id',
    summary: 'Show how far a verification is, and what it found',
    permission: 'ledger:read-all',
    params: z.strictObject({ id: toIdSchema('verification') }),
    answer: verification,
    errors: REPORT_ERRORS,
  },
});
