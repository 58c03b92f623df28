import { METER_KINDS, type MeterKind } from '@tollgate/vocabulary';
import { findMeterColumn, METER_COLUMNS } from './meter-columns.ts';

/**
 * A SELECT of the lines of rows of the usage log: the given columns of the row, and of the line its model, service tier,
 * region, counts and costs, in columns of the same names as those of a row. `is_request` is true of the first line alone,
 * `is_unknown` of the first whose upstream's charge nobody knows: both count requests.
 *
 * @param source is the log or a query like it in brackets, with `lines` among its columns.
 */
export const selectLines = (source: string, columns: readonly string[], condition = 'true'): string => `
  SELECT ${columns.join(', ')}, ${ofLine('u.model', "line ->> 'model'")} AS model,
    ${ofLine('u.service_tier', "coalesce(line ->> 'service_tier', 'standard')")} AS service_tier,
    ${ofLine('u.region', "line ->> 'region'")} AS region, coalesce(n, 1) = 1 AS is_request,
    ${ofLine('u.cost_pico', "(line ->> 'cost_pico')::numeric")} AS cost_pico,
    ${ofLine('u.upstream_cost_pico', "(line ->> 'upstream_cost_pico')::numeric")} AS upstream_cost_pico,
    u.upstream_cost_pico IS NULL AND coalesce(n, 1) = ${FIRST_UNKNOWN} AS is_unknown,
    ${METER_KINDS.map(countOfLine).join(', ')}
  FROM ${source} AS u LEFT JOIN LATERAL jsonb_array_elements(u.lines) WITH ORDINALITY AS l (line, n) ON true
  WHERE ${condition}`;

const FIRST_UNKNOWN = `CASE WHEN line IS NULL THEN 1 ELSE (
  SELECT min(place) FROM jsonb_array_elements(u.lines) WITH ORDINALITY AS each (line, place)
  WHERE each.line ->> 'upstream_cost_pico' IS NULL) END`;

/** What the row says where it keeps no lines, and else what its line says. */
const ofLine = (row: string, line: string): string => `CASE WHEN line IS NULL THEN ${row} ELSE ${line} END`;

const countOfLine = (kind: MeterKind): string => {
  const name = findMeterColumn(kind);
  return `${ofLine(`u.${name}`, `coalesce((line -> 'counts' ->> '${kind}')::bigint, 0)`)} AS ${name}`;
};

/** What a source of {@link selectLines} has beside the columns that are selected. */
export const LINE_COLUMNS: readonly string[] = [
  ...['model', 'service_tier', 'region', 'lines', 'cost_pico', 'upstream_cost_pico'],
  ...METER_COLUMNS,
];
