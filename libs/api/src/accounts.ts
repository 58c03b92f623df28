import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { sortBy, toIdSchema, timestamp, usdAmount } from './common.ts';
import { isUsd, plainText, statusAnswer } from './fields.ts';
import { limitsAnswer, limitsBody } from './limits.ts';
import { defineResource } from './route.ts';

function isTimeZone(name: string): boolean {
  // An offset such as "+05:45" is none: it knows no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const mode = z
  .enum(['prepaid', 'postpaid'])
  .meta({ description: 'prepaid: spends what was paid in; postpaid: may owe, up to its limit' });

const fields = {
  name: plainText(100),
  status: statusAnswer,
  mode,
  credit_limit_usd: z
    .string()
    .refine((text) => isUsd(text, (pico) => pico >= 0n), FIELD_RULES.not_usd)
    .nullable()
    .meta({ description: 'What a postpaid account may owe; null is no limit', examples: ['100.00'] }),
  limits: limitsBody.meta({ description: 'Over all keys of the account; what is left out is no limit' }),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, FIELD_RULES.not_in_time_zones)
    .meta({ description: 'Its days and months begin there', examples: ['Europe/Berlin'] }),
};

const groups = {
  allowed_groups: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(200)
    .nullable()
    .meta({
      description:
        'The groups that people of the account may put keys in; null is `DEFAULT_GROUPS`. `auto` allows every group of the automatic choice',
      examples: [['default', 'vip']],
    }),
  max_keys: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ description: 'Keys that it may have at a time; null is `KEYS_PER_ACCOUNT`' }),
};

/** Who pays. */
const account = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: statusAnswer,
    mode,
    credit_limit_usd: usdAmount
      .nullable()
      .meta({ description: 'What a postpaid account may owe; null is no limit' }),
    limits: limitsAnswer,
    time_zone: z.string(),
    allowed_groups: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The groups that its people may put keys in; null is `DEFAULT_GROUPS`' }),
    max_keys: z
      .int()
      .nullable()
      .meta({ description: 'Keys that it may have at a time; null is `KEYS_PER_ACCOUNT`' }),
    closed_until: timestamp.nullable().meta({ description: 'The end of its last closed period' }),
    created_at: timestamp,
  })
  .meta({ id: 'Account' });

const balance_usd = usdAmount.meta({ description: 'Below zero it owes' });

const params = z.strictObject({ id: toIdSchema('account') });

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const IDS = new RegExp(`^${UUID}(?:,${UUID}){0,99}$`, 'i');

export const accounts = defineResource({
  listAccounts: {
    method: 'GET',
    path: '/api/accounts',
    summary: 'List accounts with their balances, the newest first',
    permission: 'accounts:read-all',
    query: z.object({
      find: z
        .string()
        .trim()
        .max(100)
        .optional()
        .meta({ description: 'A part of the name or of the e-mail address of somebody in it, or its id' }),
      ids: z
        .string()
        .regex(IDS)
        .optional()
        .meta({ description: 'These alone, on one page; at most 100, with commas between them' }),
      sort: sortBy(['name', 'balance', 'created']),
      cursor: z
        .union([z.uuid(), z.string().regex(/^\d{1,7}$/)])
        .optional()
        .meta({ description: '`next` of the page before' }),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      sum: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: 'Whether to add up all that fit, on this page and on others' }),
    }),
    answer: z.object({
      items: z.array(account.extend({ balance_usd }).meta({ id: 'ListedAccount' })),
      next: z.string().nullable(),
      totals: z
        .object({ accounts: z.int(), balance_usd })
        .nullable()
        .meta({ description: 'Of all that fit, where `sum` asks for it' }),
    }),
  },
  createAccount: {
    method: 'POST',
    path: '/api/accounts',
    summary: 'Make an account',
    permission: 'accounts:write',
    body: z
      .strictObject({
        name: fields.name,
        mode: fields.mode.default('postpaid'),
        credit_limit_usd: fields.credit_limit_usd.default(null),
        time_zone: fields.time_zone.default('UTC'),
        limits: fields.limits.default({}),
        allowed_groups: groups.allowed_groups.default(null),
        max_keys: groups.max_keys.default(null),
      })
      .meta({
        examples: [{ name: 'Acme', mode: 'postpaid', credit_limit_usd: '100', time_zone: 'Europe/Berlin' }],
      }),
    status: 201,
    answer: account,
  },
  getAccount: {
    method: 'GET',
    path: '/api/accounts/:id',
    summary: 'Show an account with its balance',
    permission: 'accounts:read',
    account: { in: 'params', name: 'id', others: 'accounts:read-all' },
    params,
    answer: account
      .extend({
        balance_usd,
        usable_groups: z
          .array(z.string())
          .meta({ description: 'The groups that its people may put keys in, after all defaults' }),
      })
      .meta({ id: 'AccountWithBalance' }),
  },
  changeAccount: {
    method: 'PATCH',
    path: '/api/accounts/:id',
    summary: 'Change an account',
    description:
      'Who is disabled is out: the account’s keys work no more, and its people are signed out everywhere.',
    permission: 'accounts:write',
    // It ends an account.
    reauthenticate: (body) =>
      typeof body === 'object' && body !== null && 'status' in body && body.status === 'disabled',
    params,
    body: z
      .strictObject({ ...fields, ...groups })
      .partial()
      .meta({ examples: [{ mode: 'prepaid' }] }),
    answer: account,
    errors: { 409: 'It would shut out whoever asks or the last owner, or move closed periods.' },
  },
});
