import { estimateRequestTokens, tokenBounds } from '@tollgate/metering';
import { boundExtras, type ServedFeatures } from '@tollgate/protocols';
import { admit, type Admitted } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { type Reservation, reserve } from '../admit/reserve.ts';
import type { Refusal } from './refuse.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';

/** What a request that may run has of limits and credit. Its disposal gives back what was not settled by then. */
export interface RequestAdmission extends Disposable {
  /** Estimated, of the request. */
  readonly tokens: number;
  /** Absent where nothing is billed. */
  readonly reservation: Reservation | undefined;
  /** How the limits stand. */
  readonly headers: Record<string, string>;
  readonly freeSlots: Extract<Admitted, { ok: true }>['freeSlots'];
  readonly keepHold: Extract<Admitted, { ok: true }>['keepHold'];
  readonly settle: Extract<Admitted, { ok: true }>['settle'];
}

/** Takes what the request needs of all limits, and holds what it may cost. */
export async function admitRequest(
  deps: RelayDependencies,
  request: RelayRequest,
  { arrivedAt, key, table, summary, payload }: AskedRequest,
): Promise<{ readonly ok: true; readonly admission: RequestAdmission } | ({ readonly ok: false } & Refusal)> {
  const { protocol, requestId, clientAddress } = request;
  const { model, output } = summary;
  const tokens = estimateRequestTokens(protocol, payload.json);
  const bound = tokenBounds(payload.json);
  const extras = (served: ServedFeatures) => boundExtras(protocol, payload.json, served);
  const reservation =
    request.action === 'count'
      ? undefined
      : reserve(table, { requestId, arrivedAt, key, model, protocol, output, bound, extras });
  const admitted = await admit(deps, table, { clientAddress, protocol, key, model, tokens, reservation });
  const headers = rateHeaders(protocol, admitted.buckets);
  if (!admitted.ok) {
    request.watch.limited(admitted.limitedBy);
    return { ok: false, error: admitted.error, headers };
  }
  const { freeSlots, keepHold, settle } = admitted;
  const admission = {
    tokens,
    reservation,
    headers,
    freeSlots,
    keepHold,
    settle,
    [Symbol.dispose]: () => settle(null),
  };
  return { ok: true, admission };
}
