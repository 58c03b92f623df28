import { type AnswerOf, REVIEW_STATUSES, type usage } from '@tollgate/api';
import { usageEventFields, usageLineSchema } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { column, readRows } from '@tollgate/platform';
import {
  type Counts,
  INPUT_TOKEN_KINDS,
  isUnitKind,
  type MeterKind,
  OTHER_OPERATIONS,
  OUTPUT_TOKEN_KINDS,
  SERVICE_TIERS,
  type OtherOperation,
} from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Conditions, createConditions } from '../database/conditions.ts';
import { findMeterColumn, METER_COLUMNS, toCountFields } from './meter-columns.ts';
import {
  continueAfter,
  idAfter,
  type LogPlace,
  makeCursor,
  OCCURRED_EXACTLY,
  readCursor,
} from './log-cursor.ts';
import { CHARGED_COLUMNS, type LogOrder, orderNewest } from './log-order.ts';
import { readCounts, readLines } from './usage-lines.ts';

/** What both halves of the log of requests are looked through by: what was charged, and what was not. */
export interface LogFilter {
  /** Undefined for those of all accounts. */
  readonly accountId: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly requestId?: string | undefined;
  readonly upstream?: string | undefined;
  /** Null for conversations. */
  readonly operation?: OtherOperation | null | undefined;
  readonly status?: Range | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  readonly isOldestFirst?: boolean | undefined;
  /** In place of the order of time. */
  readonly order?: LogOrder | undefined;
  readonly limit: number;
}

/** Of all accounts it is in the order of ids, which is that of time. */
export interface UsageFilter extends LogFilter {
  readonly outcome?: UsageEntry['outcome'] | undefined;
  readonly least?: Least | undefined;
}

export type UsagePage = AnswerOf<typeof usage.listUsage>;
/** One relayed request as it was charged. */
export type UsageEntry = UsagePage['items'][number];

/** Both inclusive. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** What a request has at least. */
export interface Least {
  readonly attempts?: number | undefined;
  readonly firstByteMs?: number | undefined;
  readonly tokens?: number | undefined;
  readonly costPico?: string | undefined;
}

const TOKENS = [...INPUT_TOKEN_KINDS, ...OUTPUT_TOKEN_KINDS].map(findMeterColumn).join(' + ');

/** A request with what only operators see. */
export interface ChargedRequest {
  readonly entry: UsageEntry;
  readonly place: LogPlace;
  /** What the log is ordered by. */
  readonly sortValue: string | null;
  readonly pool: string;
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly costPico: bigint;
  /** Null where the catalogue does not say. */
  readonly upstreamCostPico: bigint | null;
}

/** As in the event that a row was posted from. */
const { protocol, usage_source, outcome } = usageEventFields;

const usageRow = z.object({
  request_id: column.text,
  occurred_at: column.timestamp,
  /** To the microsecond, which a Date does not hold. */
  occurred_exactly: column.text,
  sort_value: column.text.nullable(),
  account_id: column.uuid,
  key_id: column.uuid,
  group_name: column.text,
  group_ratio: column.text,
  discount_ratio: column.text,
  model: column.text,
  protocol,
  /** Null of conversations. */
  operation: z.enum(OTHER_OPERATIONS).nullable(),
  stream: column.boolean,
  snapshot_version: column.int,
  cost_pico: column.bigint,
  pool: column.text,
  upstream: column.text,
  upstream_model: column.text,
  upstream_cost_pico: column.bigint.nullable(),
  service_tier: z.enum(SERVICE_TIERS),
  region: column.text.nullable(),
  lines: z.unknown(),
  usage_source,
  outcome,
  http_status: column.int,
  latency_ms: column.int,
  first_byte_ms: column.int,
  ...toCountFields(METER_COLUMNS),
});
type Row = z.infer<typeof usageRow>;

/** A page of the usage log, newest first. A page costs the same wherever it is: it starts where the last one ended. */
export async function usageLog(database: Pick<DataSource, 'query'>, filter: UsageFilter): Promise<UsagePage> {
  const found = await readCharged(database, filter);
  const items = found.slice(0, filter.limit);
  const last = found.length > filter.limit ? items.at(-1) : undefined;
  return { items: items.map(({ entry }) => entry), next: last ? makeCursor(last.place) : null };
}

/** What holds of the requests that fit, without where a page of them begins. */
export function toUsageConditions({ least, status, ...filter }: UsageFilter): Conditions {
  const conditions = createConditions();
  const { where } = conditions;
  where((at) => `account_id = ${at}`, filter.accountId);
  where((at) => `key_id = ${at}`, filter.keyId);
  where((at) => `model = ${at}`, filter.model);
  where((at) => `request_id = ${at}`, filter.requestId);
  where((at) => `occurred_at >= ${at}`, filter.from);
  where((at) => `occurred_at < ${at}`, filter.to);
  where((at) => `upstream = ${at}`, filter.upstream);
  where((at) => `operation IS NOT DISTINCT FROM ${at}`, filter.operation);
  where((at) => `outcome = ${at}`, filter.outcome);
  where((at) => `http_status >= ${at}`, status?.min);
  where((at) => `http_status <= ${at}`, status?.max);
  where((at) => `first_byte_ms >= ${at}`, least?.firstByteMs);
  where((at) => `${TOKENS} >= ${at}`, least?.tokens);
  where((at) => `cost_pico >= ${at}`, least?.costPico);
  // Requests with one attempt have no record of it.
  if (least?.attempts !== undefined && least.attempts > 1)
    where(
      (at) => `request_id IN (SELECT r.request_id FROM billing.request_record r
        WHERE r.is_charged AND jsonb_array_length(r.attempts) >= ${at})`,
      least.attempts,
    );
  return conditions;
}

/** One more than the limit where there are more. */
export async function readCharged(
  database: Pick<DataSource, 'query'>,
  filter: UsageFilter,
): Promise<ChargedRequest[]> {
  const { accountId } = filter;
  const isNarrow = accountId !== undefined && (filter.keyId !== undefined || filter.requestId !== undefined);
  const { where, add, joined, values } = toUsageConditions(
    isNarrow ? { ...filter, accountId: undefined } : filter,
  );
  const after = filter.cursor === undefined ? undefined : readCursor(filter.cursor);
  const { order, isOldestFirst = false } = filter;
  add(...continueAfter(after, values, accountId === undefined, isOldestFirst));
  if (accountId === undefined) where((at) => `request_id < ${at}`, filter.to && idAfter(filter.to));
  const direction = isOldestFirst ? 'ASC' : 'DESC';
  const found = `FROM billing.usage WHERE ${joined()}
    ORDER BY ${accountId === undefined ? '' : `occurred_at ${direction}, `}request_id ${direction}`;
  const page = order
    ? orderNewest(found, CHARGED_COLUMNS, order, values, filter.limit + 1)
    : `SELECT *, ${OCCURRED_EXACTLY}, NULL AS sort_value ${found} LIMIT $${values.push(filter.limit + 1)}`;
  const rows = isNarrow
    ? await readRows(database, usageRow, ofAccount(page, values.length + 1), [...values, accountId])
    : await readRows(database, usageRow, page, values);
  const disputed = await readDisputed(database, rows);
  return rows.map((row) => ({
    entry: showEntry(row, disputed.get(row.request_id)),
    place: { occurredAt: row.occurred_exactly, requestId: row.request_id },
    sortValue: row.sort_value,
    pool: row.pool,
    upstream: row.upstream,
    upstreamModel: row.upstream_model,
    costPico: BigInt(row.cost_pico),
    upstreamCostPico: row.upstream_cost_pico === null ? null : BigInt(row.upstream_cost_pico),
  }));
}

/**
 * All rows of a key, or of a request, have one account: whether it is the asker's is looked at afterwards. Asked
 * together, the database would take them for independent, expect next to nothing, and read every row of the key or the
 * account to sort or find them.
 */
const ofAccount = (page: string, place: number): string =>
  `SELECT * FROM (${page}) AS page WHERE account_id = $${place} ORDER BY occurred_at DESC, request_id DESC`;

const disputedRow = z.object({
  request_id: column.text,
  lines: z.array(usageLineSchema),
  status: z.enum(REVIEW_STATUSES),
});

/** What upstreams reported of requests that cannot be; nearly always there is nothing. */
async function readDisputed(
  database: Pick<DataSource, 'query'>,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, NonNullable<UsageEntry['disputed']>>> {
  if (rows.length === 0) return new Map();
  const found = await readRows(
    database,
    disputedRow,
    `SELECT request_id, status, coalesce(event -> 'reported_lines', event -> 'lines', '[]') AS lines
     FROM billing.usage_review WHERE request_id = ANY($1)`,
    [rows.map(({ request_id }) => request_id)],
  );
  return new Map(found.map(({ request_id, ...disputed }) => [request_id, disputed]));
}

function showEntry(row: Row, disputed: UsageEntry['disputed'] = null): UsageEntry {
  const counts = readCounts(row);
  return {
    request_id: row.request_id,
    occurred_at: row.occurred_at.toISOString(),
    account_id: row.account_id,
    key_id: row.key_id,
    group: row.group_name,
    group_ratio: row.group_ratio,
    discount_ratio: row.discount_ratio,
    model: row.model,
    protocol: row.protocol,
    operation: row.operation ?? 'generate',
    stream: row.stream,
    pricing_version: row.snapshot_version,
    tokens: pickCounts(counts, (kind) => !isUnitKind(kind)),
    units: pickCounts(counts, isUnitKind),
    service_tier: row.service_tier,
    region: row.region,
    lines: readLines(row).map((line) => ({
      model: line.model,
      service_tier: line.service_tier ?? 'standard',
      region: line.region ?? null,
      counts: line.counts,
      counted: line.counted ?? [],
      cost_usd: formatUsd(BigInt(line.cost_pico)),
    })),
    disputed,
    cost_usd: formatUsd(BigInt(row.cost_pico)),
    usage_source: row.usage_source,
    outcome: row.outcome,
    http_status: row.http_status,
    latency_ms: row.latency_ms,
    first_byte_ms: row.first_byte_ms,
  };
}

const pickCounts = (counts: Counts, takes: (kind: MeterKind) => boolean): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([kind]) => takes(kind as MeterKind)));
