import type { UsageFilter } from '../../api/usage.ts';
import { readDays, toSpan } from '../../shared/days.ts';
import { readTexts } from '../../shared/search-params.ts';

/** What the address of the usage log says. */
export interface UsageSearch {
  /** The account whose log it is; that of who looks without one. */
  readonly account?: string;
  /** One request, by its id. */
  readonly request?: string;
  readonly key?: string;
  readonly model?: string;
  /** The first and the last day that are shown, in the time zone of the browser. */
  readonly from?: string;
  readonly to?: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Takes what it understands of an address and leaves the rest. */
export function readFilters(search: Readonly<Record<string, unknown>>): UsageSearch {
  const { account, request, key, model, from, to } = readTexts(search, [
    'account',
    'request',
    'key',
    'model',
    'from',
    'to',
  ]);
  return {
    ...(account !== undefined && UUID.test(account) ? { account } : {}),
    ...(request === undefined || request.trim() === '' ? {} : { request: request.trim() }),
    ...(key !== undefined && UUID.test(key) ? { key } : {}),
    ...(model === undefined ? {} : { model }),
    ...readDays(from, to),
  };
}

/** The filter that the service takes: moments instead of days, the end exclusive. */
export const toFilter = ({ account, request, key, model, ...days }: UsageSearch): UsageFilter => ({
  ...(account === undefined ? {} : { account_id: account }),
  ...(request === undefined ? {} : { request_id: request }),
  ...(key === undefined ? {} : { key_id: key }),
  ...(model === undefined ? {} : { model }),
  ...toSpan(days),
});
