import { INPUT_TOKEN_KINDS, type MeterKind, OUTPUT_TOKEN_KINDS, SORT_WINDOW } from '@tollgate/vocabulary';
import { z } from 'zod';
import { OCCURRED_EXACTLY } from './log-cursor.ts';
import { findMeterColumn } from './meter-columns.ts';

/** What a log may be ordered by in place of its time. */
export type LogColumn = 'input' | 'output' | 'latency' | 'status' | 'cost';

/** Where a request stands in such an order: what has no value comes last. */
interface OrderedPlace {
  readonly value: string | null;
  readonly requestId: string;
}

export interface LogOrder {
  readonly by: LogColumn;
  readonly isDescending: boolean;
  /** Where the page before ended. */
  readonly after: OrderedPlace | undefined;
}

const sumOf = (kinds: readonly MeterKind[]): string => kinds.map(findMeterColumn).join(' + ');

export const CHARGED_COLUMNS: Readonly<Record<LogColumn, string>> = {
  input: sumOf(INPUT_TOKEN_KINDS),
  output: sumOf(OUTPUT_TOKEN_KINDS),
  latency: 'latency_ms',
  status: 'http_status',
  cost: 'cost_pico',
};

export const UNCHARGED_COLUMNS: Readonly<Record<LogColumn, string>> = {
  input: 'NULL',
  output: 'NULL',
  latency: 'latency_ms',
  status: 'http_status',
  cost: 'NULL',
};

/**
 * A page of a log's newest rows in another order than that of their time.
 *
 * @param newest from where they are read, with the order of the log.
 * @param values of the query; those of the page are added to them.
 */
export function orderNewest(
  newest: string,
  columns: Readonly<Record<LogColumn, string>>,
  { by, isDescending, after }: LogOrder,
  values: unknown[],
  limit: number,
): string {
  const [direction, side] = isDescending ? ['DESC', '<'] : ['ASC', '>'];
  const place = (value: unknown) => `$${values.push(value)}`;
  const conditions = !after
    ? 'true'
    : after.value === null
      ? `sort_value IS NULL AND request_id ${side} ${place(after.requestId)}`
      : `sort_value IS NULL OR (sort_value, request_id) ${side} (${place(after.value)}::numeric, ${place(after.requestId)})`;
  return `
    SELECT *, ${OCCURRED_EXACTLY} FROM (
      SELECT *, (${columns[by]})::numeric AS sort_value FROM (SELECT * ${newest} LIMIT ${SORT_WINDOW}) AS newest
    ) AS valued
    WHERE ${conditions} ORDER BY sort_value ${direction} NULLS LAST, request_id ${direction} LIMIT ${place(limit)}`;
}

/** As the pages of an order put them: below zero where the first of two comes first. */
export function compareOrdered(a: OrderedPlace, b: OrderedPlace, isDescending: boolean): number {
  if (a.value !== b.value) {
    if (a.value === null) return 1;
    if (b.value === null) return -1;
    return BigInt(a.value) < BigInt(b.value) === isDescending ? 1 : -1;
  }
  if (a.requestId === b.requestId) return 0;
  return a.requestId < b.requestId === isDescending ? 1 : -1;
}

const cursorSchema = z.tuple([
  z
    .string()
    .regex(/^\d{1,38}$/)
    .nullable(),
  z.string().regex(/^[\u0020-\uffff]+$/),
  z.iso.datetime(),
]);

interface OrderedPage {
  readonly after: OrderedPlace;
  /** Before this all pages look, so that what comes meanwhile moves nothing. */
  readonly to: string;
}

export const makeOrderedCursor = ({ after, to }: OrderedPage): string =>
  Buffer.from(JSON.stringify([after.value, after.requestId, to])).toString('base64url');

/** Undefined for what is no cursor of ours: then the list begins again. */
export function readOrderedCursor(cursor: string): OrderedPage | undefined {
  try {
    const [value, requestId, to] = cursorSchema.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    );
    return { after: { value, requestId }, to };
  } catch {
    return undefined;
  }
}
