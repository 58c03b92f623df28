import { TOKEN_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import type { ExportColumn, SqlColumn } from '../columns.ts';
import type { Audience, ExportPlan } from '../export-job.ts';
import { toCondition } from './filter.ts';
import { NumberPages, readExtent } from './number-pages.ts';
import type { Readers } from './source.ts';

interface UsageColumn extends SqlColumn {
  /** Customers do not see it. */
  readonly ours?: true;
  /** What the books see in its place. */
  readonly oursSql?: string;
}

const as = (name: string, type: ExportColumn['type'], more: Partial<UsageColumn> = {}): UsageColumn => ({
  name,
  type,
  sql: name,
  ...more,
});
const time = (name: string): UsageColumn => as(name, 'timestamp');
const named = (name: string, more: Partial<UsageColumn> = {}): UsageColumn =>
  as(name, 'text', { free: true, ...more });

const LINES = 'jsonb_array_elements(usage.lines) WITH ORDINALITY AS l (line, place)';
const usdOf = (field: string): string => `trim_scale((line ->> '${field}')::numeric * 0.000000000001)::text`;
/** As the API shows them, where a request has more than one: of one the other columns say it all. */
const shownLines = (...more: string[]): string => `CASE WHEN jsonb_array_length(lines) > 1 THEN (
  SELECT jsonb_agg(jsonb_build_object('model', line -> 'model',
    'service_tier', coalesce(line ->> 'service_tier', 'standard'), 'region', line -> 'region',
    'counts', line -> 'counts', 'counted', coalesce(line -> 'counted', '[]'),
    ${["'cost_usd'", usdOf('cost_pico'), ...more].join(', ')}) ORDER BY place)
  FROM ${LINES})::text END`;
const COUNTED_KINDS = `CASE WHEN lines IS NOT NULL THEN (SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind)
  FROM ${LINES}, jsonb_array_elements_text(line -> 'counted') AS kind) END`;
/** What became of it is decided later, and no part of what is exported. */
const IS_DISPUTED = 'EXISTS (SELECT FROM billing.usage_review r WHERE r.request_id = usage.request_id)';

const COLUMNS: readonly UsageColumn[] = [
  as('number', 'int64'),
  named('request_id'),
  time('occurred_at'),
  time('booked_at'),
  time('posted_at'),
  as('account_id', 'text', { uuid: true }),
  as('key_id', 'text', { uuid: true }),
  named('group', { sql: 'group_name' }),
  named('model'),
  named('vendor'),
  named('pool', { ours: true }),
  named('upstream', { ours: true }),
  named('upstream_model', { ours: true }),
  as('protocol', 'text'),
  as('operation', 'text', { sql: "coalesce(operation, 'generate')" }),
  as('stream', 'boolean'),
  as('pricing_version', 'int32', { sql: 'snapshot_version' }),
  as('group_ratio', 'text'),
  as('discount_ratio', 'text'),
  ...TOKEN_KINDS.map((kind) => as(`tokens_${kind}`, 'int64', { summed: true })),
  ...UNIT_KINDS.map((kind) => as(`units_${kind}`, 'int64', { summed: true })),
  as('service_tier', 'text'),
  named('region', { nullable: true }),
  as('counted', 'text', { sql: COUNTED_KINDS, nullable: true }),
  as('disputed', 'boolean', { sql: IS_DISPUTED }),
  named('lines', {
    sql: shownLines(),
    oursSql: shownLines("'upstream_cost_usd'", usdOf('upstream_cost_pico')),
    nullable: true,
  }),
  as('cost_usd', 'usd', { sql: 'cost_pico', summed: true }),
  as('upstream_cost_usd', 'usd', { sql: 'upstream_cost_pico', summed: true, nullable: true, ours: true }),
  as('usage_source', 'text'),
  as('outcome', 'text'),
  as('http_status', 'int32'),
  as('latency_ms', 'int32'),
  as('first_byte_ms', 'int32'),
];

/** A row for each request. */
export const usageColumns = (audience: Audience): readonly UsageColumn[] =>
  audience === 'books'
    ? COLUMNS.map((each) => ({ ...each, sql: each.oursSql ?? each.sql }))
    : COLUMNS.filter(({ ours }) => !ours);

export async function usageSource(readers: Readers, plan: ExportPlan): Promise<NumberPages> {
  const inAll = toCondition(plan.filters, plan.watermark, 1);
  const extent = await readExtent(
    readers[0],
    `SELECT count(*) AS rows, min(number) AS first, max(number) AS last FROM billing.usage WHERE ${inAll.text}`,
    inAll.values,
  );
  const onPage = toCondition(plan.filters, plan.watermark, 4);
  return new NumberPages(readers, extent, {
    columns: usageColumns(plan.audience),
    from: `FROM billing.usage WHERE number BETWEEN $1 AND $2 AND ${onPage.text}`,
    number: 'usage.number',
    values: onPage.values,
    numbersAtOnce: 4_096,
  });
}
