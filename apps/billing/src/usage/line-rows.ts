import { METER_KINDS } from '@tollgate/vocabulary';
import { findMeterColumn, METER_COLUMNS } from './meter-columns.ts';

/**
 * A SELECT of the lines of rows of the usage log: the given columns of the row, and of the line its model, service tier,
 * region, counts and costs, in columns of the same names as those of a row. `is_request` is true of the first line alone.
 *
 * @param source is the log or a query like it in brackets, with `lines` among its columns.
 */
export const selectLines = (source: string, columns: readonly string[], condition = 'true'): string => `
  SELECT ${[...columns, 'model', 'service_tier', 'region'].join(', ')}, true AS is_request,
    cost_pico, upstream_cost_pico, ${METER_COLUMNS.join(', ')}
  FROM ${source} AS u WHERE lines IS NULL AND ${condition}
  UNION ALL
  SELECT ${columns.join(', ')}, line ->> 'model', coalesce(line ->> 'service_tier', 'standard'), line ->> 'region', n = 1,
    (line ->> 'cost_pico')::numeric, (line ->> 'upstream_cost_pico')::numeric,
    ${METER_KINDS.map((kind) => `coalesce((line -> 'counts' ->> '${kind}')::bigint, 0) AS ${findMeterColumn(kind)}`).join(', ')}
  FROM ${source} AS u CROSS JOIN LATERAL jsonb_array_elements(u.lines) WITH ORDINALITY AS l (line, n)
  WHERE lines IS NOT NULL AND ${condition}`;

/** What a source of {@link selectLines} has beside the columns that are selected. */
export const LINE_COLUMNS: readonly string[] = [
  ...['model', 'service_tier', 'region', 'lines', 'cost_pico', 'upstream_cost_pico'],
  ...METER_COLUMNS,
];
