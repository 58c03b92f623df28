import type { RequestFilter } from '../../api/requests.ts';
import type { UsageFilter } from '../../api/usage.ts';
import { readDays, toSpan } from '../../shared/days.ts';
import { readTexts } from '../../shared/search-params.ts';

/** What the address of the log says. */
export interface UsageSearch {
  /** The account whose log it is, or `all`; that of who looks without one. */
  readonly account?: string;
  /** One request, by its id. */
  readonly request?: string;
  readonly key?: string;
  readonly model?: string;
  /** A status, or a class of them. */
  readonly status?: string;
  readonly code?: string;
  readonly operation?: string;
  readonly upstream?: string;
  /** The first and the last day that are shown, in the time zone of the browser. */
  readonly from?: string;
  readonly to?: string;
}

export const ALL_ACCOUNTS = 'all';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What each filter may say, where that is not just any text. */
const FORMS = {
  account: new RegExp(`^${ALL_ACCOUNTS}$|${UUID.source}`, 'i'),
  request: /\S/,
  key: UUID,
  model: /./,
  status: /^(?:2xx|4xx|5xx|error|[1-5]\d\d)$/,
  code: /^[a-z0-9_]{1,64}$/,
  operation: /^(?:generate|embed|rerank|moderate)$/,
  upstream: /./,
} as const;
const NAMES = Object.keys(FORMS) as (keyof typeof FORMS)[];

/** Takes what it understands of an address and leaves the rest. */
export function readFilters(search: Readonly<Record<string, unknown>>): UsageSearch {
  const texts = readTexts(search, [...NAMES, 'from', 'to']);
  const read: { -readonly [name in keyof UsageSearch]: string } = { ...readDays(texts.from, texts.to) };
  for (const name of NAMES) {
    const text = texts[name]?.trim();
    if (text !== undefined && FORMS[name].test(text)) read[name] = text;
  }
  return read;
}

/** The filter that the service takes: moments instead of days, the end exclusive. */
export const toFilter = ({ status, code, operation, upstream, ...rest }: UsageSearch): RequestFilter =>
  ({
    ...toChargeFilter(rest),
    ...(status === undefined ? {} : { status: /^\d+$/.test(status) ? Number(status) : status }),
    ...(code === undefined ? {} : { error_code: code }),
    ...(operation === undefined ? {} : { operation }),
    ...(upstream === undefined ? {} : { upstream }),
  }) as RequestFilter;

/** The part of it that the download of charges takes. */
export const toChargeFilter = ({ account, request, key, model, from, to }: UsageSearch): UsageFilter => ({
  ...(account === undefined ? {} : { account_id: account }),
  ...(request === undefined ? {} : { request_id: request }),
  ...(key === undefined ? {} : { key_id: key }),
  ...(model === undefined ? {} : { model }),
  ...toSpan({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
});
