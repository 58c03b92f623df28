import { upstreamSchema } from '@tollgate/catalogue';
import { daySchema } from '@tollgate/contracts';
import { COMPARISON_STATUSES, FIELD_RULES, INVOICE_COLUMNS, INVOICE_COUNTS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { toIdSchema, toObjectSchema, REPORT_ERRORS, timestamp, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

const upstream = upstreamSchema.shape.name.optional().meta({ examples: ['east'] });
const columnName = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'The name of this column in the file, if it is another' });
const toColumnParams = <C extends string>(columns: readonly C[]) =>
  Object.fromEntries(columns.map((column) => [`column.${column}`, columnName])) as Record<
    `column.${C}`,
    typeof columnName
  >;
const day = daySchema.optional();

const reconcileQuery = z.object({
  upstream: upstream.meta({ description: 'Whose invoice it is; must be given', examples: ['east'] }),
  time_zone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .meta({ description: "In which the invoice's days begin" }),
  tolerance_percent: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,9})?$/, FIELD_RULES.not_a_percentage)
    .default('0')
    .meta({ description: "How far a figure may be off theirs and still be 'ok'", examples: ['0.5'] }),
  input_includes_cached: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: "Whether the invoice's input tokens count cached ones too" }),
  first_day: day.meta({ description: 'Without it the first day of the file', examples: ['2026-11-01'] }),
  last_day: day.meta({ description: 'Without it the last day of the file', examples: ['2026-11-30'] }),
  ...toColumnParams(INVOICE_COLUMNS),
});

const EXAMPLE = 'day,model,requests,input_tokens,output_tokens,amount_usd\n2026-11-21,m,2,6,10,0.000042\n';

const figures = z
  .object({
    ...toObjectSchema(INVOICE_COUNTS, z.int().nullable()).shape,
    amount_usd: usdAmount.nullable(),
  })
  .meta({ id: 'InvoiceFigures', description: 'Null is not said' });

const sides = z.object({
  ours: figures.nullable(),
  theirs: figures.nullable(),
  difference: figures.meta({ description: 'Ours less theirs' }),
  requests_of_unknown_cost: z.int(),
});

const reconciliation = z
  .object({
    id: z.uuid(),
    created_at: timestamp,
    actor: z.string(),
    upstream: z.string(),
    time_zone: z.string(),
    first_day: z.string(),
    last_day: z.string(),
    file_sha256: z.string(),
    file_bytes: z.int(),
    as_of_number: z.int().meta({ description: 'Of the last transaction that was compared' }),
    parameters: z.object({
      columns: z.record(z.string(), z.string()),
      tolerance_percent: z.string(),
      input_includes_cached: z.boolean(),
      lines: z.int(),
    }),
    summary: z.object({
      rows: toObjectSchema(COMPARISON_STATUSES, z.int()).meta({
        description: 'How many there are of each status',
      }),
      totals: sides,
      lost_attempts: z
        .object({ attempts: z.int(), amount_usd: usdAmount })
        .optional()
        .meta({ description: 'What the upstream may charge for and we booked as lost' }),
    }),
  })
  .meta({ id: 'Reconciliation' });

const comparedRow = sides
  .extend({ day: z.string(), model: z.string(), status: z.enum(COMPARISON_STATUSES) })
  .meta({ id: 'ComparedRow' });

const whole = reconciliation.extend({ rows: z.array(comparedRow) }).meta({ id: 'ReconciliationInFull' });

export const reconciliations = defineResource({
  reconcile: {
    method: 'POST',
    path: '/api/finance/reconciliations',
    summary: "Compare an upstream's invoice with our usage",
    description: 'The invoice is a CSV file; it is compared model by model and day by day.',
    permission: 'ledger:write',
    query: reconcileQuery,
    bodyType: 'text/csv',
    body: z.unknown().meta({ override: { type: 'string' }, examples: [EXAMPLE] }),
    status: 201,
    answer: whole,
    errors: {
      ...REPORT_ERRORS,
      409: 'The requests of a month of these days were dropped.',
      413: 'The file is too large. Send it in parts, by day or model.',
    },
  },
  listReconciliations: {
    method: 'GET',
    path: '/api/finance/reconciliations',
    summary: 'List what was compared, the newest first',
    permission: 'ledger:read-all',
    query: z.object({
      upstream,
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: z.object({ items: z.array(reconciliation) }),
  },
  getReconciliation: {
    method: 'GET',
    path: '/api/finance/reconciliations/:id',
    summary: 'Show one comparison with all its rows',
    permission: 'ledger:read-all',
    params: z.strictObject({ id: toIdSchema('reconciliation') }),
    answer: whole,
  },
});
