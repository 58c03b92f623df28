import { TOKEN_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { timestamp, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

const whose = {
  account_id: z
    .uuid()
    .optional()
    .meta({ description: 'Without it your own', examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
};

const status = z.enum(['open', 'closed']);
const hash = z
  .string()
  .nullable()
  .meta({ description: 'Of a closed month; it vouches for the months before as well' });

const statementSummary = z
  .object({
    month: z.string().meta({ examples: ['2026-11'] }),
    time_zone: z.string(),
    from: timestamp,
    to: timestamp,
    status,
    opening_balance_usd: usdAmount,
    usage_usd: usdAmount,
    credit_usd: usdAmount.meta({ description: 'Payments, grants and all else but usage, in sum' }),
    closing_balance_usd: usdAmount,
    requests: z.int(),
    closed_at: timestamp.nullable(),
    hash,
    previous_hash: z.string().nullable(),
  })
  .meta({ id: 'StatementSummary' });

const units = z
  .partialRecord(z.enum(UNIT_KINDS), z.int())
  .meta({ description: 'What is charged beside tokens; kinds that were used' });

const rounded = usdAmount.meta({
  description: 'In whole cents, half to even: the exact sum is rounded, never its parts',
});

const statementLine = z
  .object({
    model: z.string(),
    requests: z.int(),
    tokens: z.partialRecord(z.enum(TOKEN_KINDS), z.int()).meta({ description: 'Kinds that were used' }),
    units,
    cost_usd: usdAmount,
  })
  .meta({ id: 'StatementLine' });

const movement = z
  .object({ kind: z.string(), transactions: z.int(), amount_usd: usdAmount })
  .meta({ id: 'StatementMovement', description: 'What moved the balance besides usage' });

const statement = z
  .object({
    account: z.object({ id: z.uuid(), name: z.string() }),
    month: z.string(),
    time_zone: z.string(),
    from: timestamp,
    to: timestamp,
    status,
    hash,
    as_of_number: z
      .int()
      .nullable()
      .meta({ description: 'Of an open month: the last ledger transaction that is counted' }),
    opening_balance_usd: usdAmount,
    lines: z.array(statementLine),
    usage_usd: usdAmount,
    usage_rounded_usd: rounded,
    movements: z.array(movement),
    closing_balance_usd: usdAmount,
    closing_balance_rounded_usd: rounded,
  })
  .meta({
    id: 'Statement',
    description: 'What an account is told of a month. Of a closed one it never changes',
  });

const keyLine = z
  .object({
    key_id: z.uuid(),
    name: z.string(),
    masked: z.string(),
    is_deleted: z.boolean(),
    requests: z.int(),
    tokens: z.int().meta({ description: 'Of every kind' }),
    units,
    cost_usd: usdAmount,
  })
  .meta({ id: 'StatementKey' });

/** What is no month is answered with 400. */
const params = z.strictObject({ month: z.string().meta({ examples: ['2026-11'] }) });
const common = {
  method: 'GET',
  permission: 'ledger:read',
  account: { in: 'query', name: 'account_id', others: 'ledger:read-all' },
} as const;
const tooMany = 'Too many reports of yours are under way. Ask again shortly.';

export const statements = defineResource({
  listStatements: {
    ...common,
    path: '/api/statements',
    summary: 'List the months of an account, the newest first',
    query: z.object({ ...whose, limit: z.coerce.number().int().min(1).max(240).default(36) }),
    answer: z.object({ items: z.array(statementSummary) }),
    errors: { 429: tooMany },
  },
  listStatementKeys: {
    ...common,
    path: '/api/statements/:month/keys',
    summary: 'List the usage of a month by key',
    description: 'The most expensive first.',
    params,
    query: z.object(whose),
    answer: z.object({ items: z.array(keyLine) }),
    errors: { 404: 'The account has no such month.', 429: tooMany },
  },
  showStatement: {
    ...common,
    path: '/api/statements/:month',
    summary: 'Show what an account used and paid in a month',
    params,
    query: z.object({
      ...whose,
      format: z.enum(['json', 'html']).default('json').meta({ description: '`html` is a page to print' }),
      language: z.enum(['en', 'zh-CN']).default('en').meta({ description: 'Of the page to print' }),
    }),
    answer: {
      contentType: ['application/json; charset=utf-8', 'text/html; charset=utf-8'],
      schema: statement,
    },
    errors: { 404: 'The account has no such month.', 429: tooMany },
  },
});
