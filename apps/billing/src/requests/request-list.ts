import type { AnswerOf, RequestOf, requests } from '@tollgate/api';
import { CLIENT_LEFT } from '@tollgate/contracts';
import { formatUsd, parseUsd } from '@tollgate/money';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { type LogPlace, makeCursor } from '../usage/log-cursor.ts';
import {
  compareOrdered,
  type LogColumn,
  type LogOrder,
  makeOrderedCursor,
  readOrderedCursor,
} from '../usage/log-order.ts';
import { type ChargedRequest, readCharged, type UsageFilter } from '../usage/usage-log.ts';
import { readAttempts, readUncharged, type RecordFilter, type UnchargedRequest } from './uncharged.ts';

type Runs = Pick<DataSource, 'query'>;
type RequestPage = AnswerOf<typeof requests.listRequests>;
type RequestEntry = RequestPage['items'][number];
type Query = RequestOf<typeof requests.listRequests>['query'];

export interface RequestFilter extends Omit<Query, 'account_id'> {
  /** Undefined for those of all accounts. */
  readonly accountId: string | undefined;
}

/** How a request that was charged ended, as the codes of errors call it. */
const CHARGED_CODES = {
  completed: null,
  client_aborted: CLIENT_LEFT.code,
  upstream_cut: 'upstream_cut',
} as const satisfies Record<ChargedRequest['entry']['outcome'], string | null>;

/**
 * A page of all requests, newest first where no other order is asked for: of the usage log and of what made no usage.
 *
 * @param showsServing whether who asks may see upstreams and what they cost.
 */
export async function listRequests(
  database: Runs,
  filter: RequestFilter,
  showsServing: boolean,
): Promise<RequestPage> {
  const { looked, isOldestFirst, order, compareBy, toCursor } = toLogOrder(filter);
  const { ofCharged, ofUncharged } = toFilters(looked);
  const [charged, uncharged] = await Promise.all([
    ofCharged ? readCharged(database, { ...ofCharged, isOldestFirst, order }) : [],
    ofUncharged ? readUncharged(database, { ...ofUncharged, isOldestFirst, order }) : [],
  ]);
  const all = [...charged, ...uncharged].sort(compareBy);
  const page = all.slice(0, filter.limit);
  const last = all.length > filter.limit ? page.at(-1) : undefined;
  return {
    items: await describe(database, page, showsServing),
    next: last ? toCursor(last) : null,
  };
}

type Listed = Pick<ChargedRequest, 'place' | 'sortValue'>;
const orderedPlace = ({ place, sortValue }: Listed) => ({ value: sortValue, requestId: place.requestId });

/** How a list is ordered and gone on with, and what of the log it looks at. */
function toLogOrder(filter: RequestFilter): {
  readonly looked: RequestFilter;
  readonly isOldestFirst?: boolean;
  readonly order?: LogOrder;
  readonly compareBy: (a: Listed, b: Listed) => number;
  readonly toCursor: (last: Listed) => string;
} {
  const { sort = '-time', cursor } = filter;
  const isDescending = sort.startsWith('-');
  const by = sort.replace('-', '') as LogColumn | 'time';
  if (by === 'time') {
    const byId = filter.accountId === undefined;
    return {
      looked: filter,
      isOldestFirst: !isDescending,
      compareBy: (a, b) => (isDescending ? compare(b.place, a.place, byId) : compare(a.place, b.place, byId)),
      toCursor: ({ place }) => makeCursor(place),
    };
  }
  const before = cursor === undefined ? undefined : readOrderedCursor(cursor);
  const to = before?.to ?? filter.to ?? new Date().toISOString();
  return {
    looked: { ...filter, to, cursor: undefined },
    order: { by, isDescending, after: before?.after },
    compareBy: (a, b) => compareOrdered(orderedPlace(a), orderedPlace(b), isDescending),
    toCursor: (last) => makeOrderedCursor({ after: orderedPlace(last), to }),
  };
}

/** One request, of an account or of any. */
export async function findRequest(
  database: Runs,
  requestId: string,
  accountId: string | undefined,
  showsServing: boolean,
): Promise<RequestEntry | undefined> {
  const { items } = await listRequests(
    database,
    { accountId, request_id: requestId, limit: 1 },
    showsServing,
  );
  return items[0];
}

function compare(a: LogPlace, b: LogPlace, byId: boolean): number {
  if (!byId && a.occurredAt !== b.occurredAt) return a.occurredAt < b.occurredAt ? -1 : 1;
  if (a.requestId === b.requestId) return 0;
  return a.requestId < b.requestId ? -1 : 1;
}

const CLASSES = {
  '2xx': { min: 200, max: 299 },
  '4xx': { min: 400, max: 499 },
  '5xx': { min: 500, max: 599 },
};

/** The same filter for both logs; undefined for one in which nothing can fit. */
export function toFilters({
  accountId,
  status,
  error_code: errorCode,
  operation,
  sort: _,
  ...rest
}: RequestFilter): {
  readonly ofCharged: UsageFilter | undefined;
  readonly ofUncharged: RecordFilter | undefined;
} {
  const { key_id: keyId, request_id: requestId, limited_by: limitedBy, message, ...more } = rest;
  const {
    min_attempts: attempts,
    min_first_byte_ms: firstByteMs,
    min_tokens: tokens,
    min_charge_usd: chargeUsd,
    ...others
  } = more;
  const costPico = chargeUsd === undefined ? undefined : parseUsd(chargeUsd).toString();
  const least = { attempts, firstByteMs, tokens, costPico };
  const task = operation === 'generate' ? null : operation;
  const common = { ...others, accountId, keyId, requestId, operation: task, least };
  const range =
    typeof status === 'number'
      ? { min: status, max: status }
      : status === undefined || status === 'error'
        ? undefined
        : CLASSES[status];
  const codes = Object.entries(CHARGED_CODES);
  const outcomes = codes.filter(
    ([outcome, code]) =>
      (errorCode === undefined || code === errorCode) && (status !== 'error' || outcome === 'upstream_cut'),
  );
  // What is charged was answered, or left, and hit no limit.
  const hasStatus = range === undefined || (range.min <= 299 && range.max >= 200) || isLeft(range);
  const outcome = outcomes.length === codes.length ? undefined : outcomes[0]?.[0];
  return {
    ofCharged:
      outcomes.length === 0 || !hasStatus || limitedBy !== undefined || message !== undefined
        ? undefined
        : { ...common, status: range, outcome: outcome as ChargedRequest['entry']['outcome'] | undefined },
    ofUncharged:
      tokens !== undefined || costPico !== undefined
        ? undefined
        : { ...common, status: range, errorCode, limitedBy, message, failed: status === 'error' },
  };
}

const isLeft = ({ min, max }: { readonly min: number; readonly max: number }): boolean =>
  min <= CLIENT_LEFT.status && max >= CLIENT_LEFT.status;

const nameRow = z.object({ id: column.uuid, name: column.text });

async function readNames(
  database: Runs,
  table: 'account' | 'api_key',
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await readRows(database, nameRow, `SELECT id, name FROM billing.${table} WHERE id = ANY($1)`, [
    [...new Set(ids)],
  ]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function describe(
  database: Runs,
  page: readonly (ChargedRequest | UnchargedRequest)[],
  showsServing: boolean,
): Promise<RequestEntry[]> {
  if (page.length === 0) return [];
  const owners = page.map((each) => ('entry' in each ? each.entry : each));
  const chargedIds = page.flatMap((each) => ('entry' in each ? [each.entry.request_id] : []));
  const [accounts, keys, attempts] = await Promise.all([
    readNames(
      database,
      'account',
      owners.map((each) => each.account_id),
    ),
    readNames(
      database,
      'api_key',
      owners.map((each) => each.key_id),
    ),
    readAttempts(database, chargedIds),
  ]);
  return page.map((each) => {
    const { account_id, key_id } = 'entry' in each ? each.entry : each;
    const names = {
      account_name: accounts.get(account_id) ?? null,
      key_name: keys.get(key_id) ?? null,
    };
    const entry =
      'entry' in each ? describeCharged(each, attempts.get(each.entry.request_id)) : describeUncharged(each);
    const shown = { ...entry, ...names };
    return showsServing ? shown : withoutServing(shown);
  });
}

type Described = Omit<RequestEntry, 'account_name' | 'key_name'>;

function describeCharged(
  { entry, pool, upstream, upstreamModel, costPico, upstreamCostPico }: ChargedRequest,
  attempts: UnchargedRequest['attempts'] | undefined,
): Described {
  const { outcome, http_status, first_byte_ms } = entry;
  const only = {
    upstream,
    upstream_model: upstreamModel,
    result: http_status < 300 ? ('answered' as const) : ('aborted' as const),
    status: http_status < 300 ? http_status : null,
    ms: first_byte_ms,
  };
  return {
    request_id: entry.request_id,
    occurred_at: entry.occurred_at,
    account_id: entry.account_id,
    key_id: entry.key_id,
    model: entry.model,
    operation: entry.operation,
    protocol: entry.protocol,
    stream: entry.stream,
    outcome,
    http_status,
    error_code: CHARGED_CODES[outcome],
    message: null,
    limited_by: null,
    attempts: attempts ?? [only],
    first_byte_ms,
    latency_ms: entry.latency_ms,
    charge: entry,
    serving: {
      pool,
      upstream,
      upstream_model: upstreamModel,
      upstream_cost_usd: upstreamCostPico === null ? null : formatUsd(upstreamCostPico),
      margin_usd: upstreamCostPico === null ? null : formatUsd(costPico - upstreamCostPico),
    },
  };
}

function describeUncharged({
  occurred_at,
  place: _,
  sortValue: __,
  operation,
  pool,
  ...rest
}: UnchargedRequest): Described {
  const last = rest.attempts.at(-1);
  return {
    ...rest,
    occurred_at: occurred_at.toISOString(),
    operation: operation ?? 'generate',
    outcome:
      rest.http_status === CLIENT_LEFT.status
        ? 'client_aborted'
        : rest.http_status >= 400
          ? 'failed'
          : 'free',
    charge: null,
    serving: {
      pool,
      upstream: last?.upstream ?? null,
      upstream_model: last?.upstream_model ?? null,
      upstream_cost_usd: null,
      margin_usd: null,
    },
  };
}

/** Who serves a model is the operators' business. */
const withoutServing = (entry: RequestEntry): RequestEntry => ({
  ...entry,
  attempts: entry.attempts.map((attempt) => ({ ...attempt, upstream: null, upstream_model: null })),
  serving: null,
});
