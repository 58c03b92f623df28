import { MODEL_OPERATIONS } from '@tollgate/vocabulary';
import type { RequestFilter } from '../../api/requests.ts';
import type { UsageFilter } from '../../api/usage.ts';
import { momentIn } from '../../shared/clock.ts';
import type { Days } from '../../shared/days.ts';
import { toSpan } from '../../shared/spans.ts';
import type { UsageSearch } from './filters.ts';

/** The filter that the service takes: moments instead of days, the end exclusive. */
export const toFilter = (
  {
    status,
    code,
    limit,
    operation,
    upstream,
    sort,
    said,
    attempts,
    firstByte,
    tokens,
    charge,
    ...rest
  }: UsageSearch,
  zone: string,
): RequestFilter =>
  ({
    ...toChargeFilter(rest, zone),
    ...(status === undefined ? {} : { status: /^\d+$/.test(status) ? Number(status) : status }),
    ...(code === undefined ? {} : { error_code: code }),
    ...(limit === undefined ? {} : { limited_by: limit }),
    ...(MODEL_OPERATIONS.some((each) => each === operation) ? { operation } : {}),
    ...(upstream === undefined ? {} : { upstream }),
    ...(said === undefined ? {} : { message: said }),
    ...(attempts === undefined ? {} : { min_attempts: Number(attempts) }),
    ...(firstByte === undefined ? {} : { min_first_byte_ms: Number(firstByte) }),
    ...(tokens === undefined ? {} : { min_tokens: Number(tokens) }),
    ...(charge === undefined ? {} : { min_charge_usd: charge }),
    ...(sort === undefined ? {} : { sort }),
  }) as RequestFilter;

/** The part of it that the download of charges takes. */
export const toChargeFilter = (
  { account, request, key, model, from, to, hours }: UsageSearch,
  zone: string,
): UsageFilter => ({
  ...(account === undefined ? {} : { account_id: account }),
  ...(request === undefined ? {} : { request_id: request }),
  ...(key === undefined ? {} : { key_id: key }),
  ...(model === undefined ? {} : { model }),
  ...toSpan({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }, zone),
  ...(from === undefined || to === undefined || hours === undefined ? {} : toMoments(from, to, hours, zone)),
});

function toMoments(from: string, to: string, hours: string, zone: string): Days {
  const [first, end] = hours.split('-');
  return {
    from: momentIn(zone, `${from}T${first}`).toISOString(),
    to: momentIn(zone, `${to}T${end}`).toISOString(),
  };
}
