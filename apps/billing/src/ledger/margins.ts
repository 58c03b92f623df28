import type { AnswerOf, margins } from '@tollgate/api';
import { formatUsd, ratioText } from '@tollgate/money';
import { column, readRows } from '@tollgate/platform';
import type { MarginGroup } from '@tollgate/vocabulary';
import { z } from 'zod';
import { selectLines } from '../usage/line-rows.ts';
import type { Reader } from './transactions.ts';

/** What margins are shown by, and the column of the usage log that says it. */
const COLUMNS = {
  model: 'model',
  pool: 'pool',
  customer: 'account_id',
  upstream: 'upstream',
  vendor: 'vendor',
} as const satisfies Record<MarginGroup, string>;

type Margins = Pick<AnswerOf<typeof margins.getMargins>, 'groups' | 'total'>;

interface MarginFilter {
  readonly groupBy: MarginGroup;
  /** Of booked_at, inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
}

const marginRow = z.object({
  name: column.text.nullable(),
  whole: column.boolean,
  account_name: column.text.nullable(),
  requests: column.bigint,
  unknown: column.bigint,
  revenue: column.bigint,
  revenue_unknown: column.bigint,
  cost: column.bigint,
  lost: column.bigint,
  lost_unknown: column.bigint,
  lost_cost: column.bigint,
});
type Row = z.infer<typeof marginRow>;

/** Of attempts that brought nothing there is no revenue: what they cost is a part of the cost, and is told apart. */
const COLUMNS_OF_BOTH = ['booked_at', 'occurred_at', 'pool', 'account_id', 'upstream', 'vendor'];
const LOST = `
  UNION ALL
  SELECT ${COLUMNS_OF_BOTH.join(', ')}, model, 0, upstream_cost_pico, true, false, false FROM billing.lost_attempt`;
const BOOKED = `
  SELECT ${COLUMNS_OF_BOTH.join(', ')}, model, cost_pico, upstream_cost_pico, false AS lost, true AS is_request,
    upstream_cost_pico IS NULL AS is_unknown
  FROM billing.usage${LOST}`;
/** What a second model did for a request is that model's. */
const BOOKED_BY_LINE = `
  SELECT ${COLUMNS_OF_BOTH.join(', ')}, model, cost_pico, upstream_cost_pico, false AS lost, is_request, is_unknown
  FROM (${selectLines('billing.usage', COLUMNS_OF_BOTH)}) AS line${LOST}`;

/**
 * What was earned with usage, by one of its sides, the most first. Requests of which the catalogue does not say what the
 * upstream charges have revenue and no margin: they are counted apart. Refunds are not taken off.
 */
export async function readMargins(reader: Reader, { groupBy, from, to }: MarginFilter): Promise<Margins> {
  const rows = await readRows(
    reader,
    marginRow,
    `SELECT m.*, a.name AS account_name FROM (
       SELECT ${COLUMNS[groupBy]}::text AS name, grouping(${COLUMNS[groupBy]}) = 1 AS whole,
         count(*) FILTER (WHERE is_request) AS requests,
         count(*) FILTER (WHERE is_unknown) AS unknown,
         coalesce(sum(cost_pico), 0) AS revenue,
         coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0) AS revenue_unknown,
         coalesce(sum(upstream_cost_pico), 0) AS cost,
         count(*) FILTER (WHERE lost) AS lost,
         count(*) FILTER (WHERE lost AND upstream_cost_pico IS NULL) AS lost_unknown,
         coalesce(sum(upstream_cost_pico) FILTER (WHERE lost), 0) AS lost_cost
       FROM (${groupBy === 'model' ? BOOKED_BY_LINE : BOOKED}) AS booked
       WHERE ($1::timestamptz IS NULL OR booked_at >= $1)
         -- Nothing is booked before it occurred: months that begin later are not read.
         AND ($2::timestamptz IS NULL OR (booked_at < $2 AND occurred_at < $2))
       GROUP BY GROUPING SETS ((${COLUMNS[groupBy]}), ())
     ) m LEFT JOIN billing.account a ON $3 AND a.id::text = m.name
     ORDER BY m.whole, m.revenue DESC, m.name`,
    [from ?? null, to ?? null, groupBy === 'customer'],
  );
  const total = rows.find(({ whole }) => whole);
  if (!total) throw new Error('the sum of all margins is no row');
  return {
    groups: rows
      .filter(({ whole }) => !whole)
      .map((row) => ({
        [groupBy]: row.name,
        ...(groupBy === 'customer' ? { customer_name: row.account_name } : {}),
        ...toFigures(row),
      })),
    total: toFigures(total),
  };
}

function toFigures(row: Row): Margins['total'] {
  const [revenue, revenueUnknown, cost] = [
    BigInt(row.revenue),
    BigInt(row.revenue_unknown),
    BigInt(row.cost),
  ];
  const known = revenue - revenueUnknown;
  return {
    requests: Number(row.requests),
    requests_of_unknown_cost: Number(row.unknown),
    revenue_usd: formatUsd(revenue),
    revenue_of_unknown_cost_usd: formatUsd(revenueUnknown),
    upstream_cost_usd: formatUsd(cost),
    lost_attempts: Number(row.lost),
    lost_attempts_of_unknown_cost: Number(row.lost_unknown),
    lost_attempts_cost_usd: formatUsd(BigInt(row.lost_cost)),
    margin_usd: formatUsd(known - cost),
    margin_ratio: known === 0n ? null : ratioText(known - cost, known, 4),
  };
}
