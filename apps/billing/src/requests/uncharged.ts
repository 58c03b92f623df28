import { CLIENT_LEFT, requestRecordFields } from '@tollgate/contracts';
import { column, readRows } from '@tollgate/platform';
import { OTHER_OPERATIONS } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Conditions, createConditions } from '../database/conditions.ts';
import { continueAfter, idAfter, type LogPlace, OCCURRED_EXACTLY, readCursor } from '../usage/log-cursor.ts';
import { orderNewest, UNCHARGED_COLUMNS } from '../usage/log-order.ts';
import type { Least, LogFilter } from '../usage/usage-log.ts';

type Runs = Pick<DataSource, 'query'>;

export interface RecordFilter extends LogFilter {
  /** All that failed, in place of a status. */
  readonly failed?: boolean | undefined;
  readonly errorCode?: string | undefined;
  readonly limitedBy?: string | undefined;
  /** A part of what the client was told. */
  readonly message?: string | undefined;
  readonly least?: Pick<Least, 'attempts' | 'firstByteMs'> | undefined;
}

const { attempts, protocol } = requestRecordFields;

const recordRow = z.object({
  request_id: column.text,
  occurred_at: column.timestamp,
  occurred_exactly: column.text,
  sort_value: column.text.nullable(),
  account_id: column.uuid,
  key_id: column.uuid,
  model: column.text.nullable(),
  operation: z.enum(OTHER_OPERATIONS).nullable(),
  protocol,
  stream: column.boolean,
  http_status: column.int,
  error_code: column.text.nullable(),
  message: column.text.nullable(),
  limited_by: column.text.nullable(),
  pool: column.text.nullable(),
  attempts,
  first_byte_ms: column.int.nullable(),
  latency_ms: column.int,
});
export type UnchargedRequest = Omit<z.infer<typeof recordRow>, 'occurred_exactly' | 'sort_value'> & {
  readonly place: LogPlace;
  /** What the log is ordered by. */
  readonly sortValue: string | null;
};

/** What holds of the records that fit, without where a page of them begins. */
export function toRecordConditions(filter: RecordFilter): Conditions {
  const conditions = createConditions();
  const { where, add } = conditions;
  add('NOT is_charged');
  where((at) => `account_id = ${at}`, filter.accountId);
  where((at) => `key_id = ${at}`, filter.keyId);
  where((at) => `model = ${at}`, filter.model);
  where((at) => `request_id = ${at}`, filter.requestId);
  where((at) => `upstreams @> ARRAY[${at}]`, filter.upstream);
  where((at) => `operation IS NOT DISTINCT FROM ${at}`, filter.operation);
  where((at) => `error_code = ${at}`, filter.errorCode);
  where((at) => `limited_by = ${at}`, filter.limitedBy);
  where((at) => `position(lower(${at}) IN lower(message)) > 0`, filter.message);
  where((at) => `first_byte_ms >= ${at}`, filter.least?.firstByteMs);
  where((at) => `jsonb_array_length(attempts) >= ${at}`, filter.least?.attempts);
  // A single status has an index.
  if (filter.status?.min === filter.status?.max) where((at) => `http_status = ${at}`, filter.status?.min);
  else {
    where((at) => `http_status >= ${at}`, filter.status?.min);
    where((at) => `http_status <= ${at}`, filter.status?.max);
  }
  if (filter.failed) add(IS_FAILED);
  where((at) => `occurred_at >= ${at}`, filter.from);
  where((at) => `occurred_at < ${at}`, filter.to);
  return conditions;
}

/** Requests without a charge, newest first; one more than the limit where there are more. */
export async function readUncharged(database: Runs, filter: RecordFilter): Promise<UnchargedRequest[]> {
  const { accountId } = filter;
  const { where, add, joined, values } = toRecordConditions(filter);
  if (accountId === undefined) where((at) => `request_id < ${at}`, filter.to && idAfter(filter.to));
  const after = filter.cursor === undefined ? undefined : readCursor(filter.cursor);
  const { order, isOldestFirst = false } = filter;
  add(...continueAfter(after, values, accountId === undefined, isOldestFirst));
  const direction = isOldestFirst ? 'ASC' : 'DESC';
  const found = `FROM billing.request_record WHERE ${joined()}
     ORDER BY ${accountId === undefined ? '' : `occurred_at ${direction}, `}request_id ${direction}`;
  const page = order
    ? orderNewest(found, UNCHARGED_COLUMNS, order, values, filter.limit + 1)
    : `SELECT *, ${OCCURRED_EXACTLY}, NULL AS sort_value ${found} LIMIT $${values.push(filter.limit + 1)}`;
  const rows = await readRows(database, recordRow, page, values);
  return rows.map(({ occurred_exactly: occurredAt, sort_value: sortValue, ...row }) => ({
    ...row,
    place: { occurredAt, requestId: row.request_id },
    sortValue,
  }));
}

/** What clients left by themselves did not fail. */
export const IS_FAILED = `http_status >= 400 AND http_status <> ${CLIENT_LEFT.status}`;

const attemptsRow = z.object({ request_id: column.text, attempts });

/** The attempts of requests that were charged, where there was more than one. */
export async function readAttempts(
  database: Runs,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, UnchargedRequest['attempts']>> {
  if (requestIds.length === 0) return new Map();
  const rows = await readRows(
    database,
    attemptsRow,
    'SELECT request_id, attempts FROM billing.request_record WHERE request_id = ANY($1) AND is_charged',
    [requestIds],
  );
  return new Map(rows.map((row) => [row.request_id, row.attempts]));
}
