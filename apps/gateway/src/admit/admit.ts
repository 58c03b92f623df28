import type { RateLimit } from '@tollgate/catalogue';
import type { KeyRecord } from '@tollgate/contracts';
import {
  type Admission,
  type Charge,
  type CreditAdmission,
  type CreditHold,
  type LimitDimension,
  rateLimitCharges,
  type RequestCost,
  type ResilientLimiter,
} from '@tollgate/limits';
import { andThen, clientBlock } from '@tollgate/platform';
import { relayError, type RelayError } from '@tollgate/protocols';
import {
  type Counts,
  type ClientProtocol,
  type OtherOperation,
  sumTokens,
  TOKEN_KINDS,
  UNIT_KINDS,
} from '@tollgate/vocabulary';
import type { RoutingTable } from '../route/routing-table.ts';
import { computeCorrections, type Excess } from './corrections.ts';
import type { LoadCredit } from './credit-loader.ts';
import { explainCredit, explainEmpty, explainRate } from './explain.ts';
import type { Refusals } from './refusals.ts';
import { type PricedLine, type Reservation, listCreditScopes } from './reserve.ts';
import { newSlot } from './slot.ts';

interface AdmissionRequest {
  readonly clientAddress: string;
  readonly key: KeyRecord;
  readonly protocol: ClientProtocol;
  /** What is asked for, where it is no conversation. */
  readonly task?: OtherOperation | undefined;
  /** Absent for requests that use no model, such as listing. */
  readonly model?: string;
  /** It uses no model, and is not over at once all the same. */
  readonly lasts?: boolean;
  /** Estimated tokens of the request; corrected by `settle` once the real number is known. */
  readonly tokens: number;
  /** What is counted beside tokens, estimated and corrected in the same way. */
  readonly units?: Units;
  /** What the request may cost, and what of it is held; absent for requests that use no model. */
  readonly reservation?: Reservation | undefined;
}

export type Admitted =
  | {
      readonly ok: true;
      readonly buckets: Admission['buckets'];
      /** Frees what the request has of requests at once, before its end is known. */
      readonly freeSlots: () => void;
      /** The request goes on elsewhere: its slots become free, and its hold stays until its end is in the books. */
      readonly keepHold: () => void;
      /**
       * Corrects what was taken to what was used, first of the model that answered; null for a request that is not billed. The
       * first word counts.
       */
      readonly settle: (used: readonly PricedLine[] | null) => void;
    }
  | {
      readonly ok: false;
      readonly buckets: Admission['buckets'];
      readonly error: RelayError;
      readonly limitedBy: LimitedBy;
    };

/** What refused a request: a limit by its dimension, or credit that is too little or cannot be checked. */
export type LimitedBy = LimitDimension | 'credit' | 'credit unknown';

export interface AdmissionDependencies {
  readonly limiter: ResilientLimiter;
  readonly loadCredit: LoadCredit;
  readonly refusals: Refusals;
}

/**
 * May this request run now? Every limit that applies is charged in one Redis round trip, or none is; where leases cover
 * all of them Redis is not asked. What was charged is given back or corrected by `settle`, which must follow.
 */
export function admit(
  deps: AdmissionDependencies,
  table: RoutingTable,
  request: AdmissionRequest,
): Admitted | Promise<Admitted> {
  const charges = chargesOf(table, request);
  const hold = request.reservation?.hold;
  const admission = hold
    ? admitOnCredit(deps, charges, hold)
    : (deps.limiter.admitLeased(charges) ?? deps.limiter.admit(charges));
  return andThen(admission, (given) => toAdmitted(deps, request, charges, given));
}

function toAdmitted(
  deps: AdmissionDependencies,
  request: AdmissionRequest,
  charges: readonly Charge[],
  admission: CreditAdmission,
): Admitted {
  const { reservation } = request;
  const hold = reservation?.hold;
  const { buckets } = admission;
  if (!admission.admitted) {
    deps.refusals.note(request.key.key_id, admission);
    return { ok: false, buckets, error: refusalOf(admission, hold), limitedBy: limitedBy(admission) };
  }
  let settled = false;
  return {
    ok: true,
    buckets,
    freeSlots() {
      const slots = computeCorrections(charges, NOTHING_BEYOND);
      if (!settled && slots.length > 0) void deps.limiter.settle(slots);
    },
    keepHold() {
      if (settled) return;
      settled = true;
      const slots = computeCorrections(charges, NOTHING_BEYOND);
      if (slots.length > 0) void deps.limiter.settle(slots);
    },
    settle(used) {
      if (settled) return;
      settled = true;
      const corrections = computeCorrections(charges, computeExcess(request, used?.[0]?.counts));
      if (reservation && hold) {
        const { requestId, scopes } = hold;
        const amount = used === null ? null : reservation.costOf(used);
        void deps.limiter.settleCredit(corrections, { requestId, scopes, amount });
      } else if (corrections.length > 0) void deps.limiter.settle(corrections);
    },
  };
}

/**
 * Whether a key has anything left to spend, before a large body of it is read: asks for the smallest hold there is, and
 * gives it back. Says why where it has not, or where nobody can say.
 */
export async function lookAtCredit(
  deps: AdmissionDependencies,
  {
    key,
    requestId,
    arrivedAt,
  }: { readonly key: KeyRecord; readonly requestId: string; readonly arrivedAt: number },
): Promise<RelayError | undefined> {
  const scopes = listCreditScopes(key, arrivedAt);
  if (scopes.length === 0) return undefined;
  const id = `${requestId}.look`;
  const hold = { requestId: id, accountId: key.account_id, keyId: key.key_id, scopes, amount: SMALLEST_HOLD };
  const admission = await admitOnCredit(deps, [], hold);
  if (admission.admitted) {
    void deps.limiter.settleCredit([], { requestId: id, scopes, amount: null });
    return undefined;
  }
  deps.refusals.note(key.key_id, admission);
  return 'credit' in admission && admission.credit === 'insufficient'
    ? relayError('quota_exhausted', explainEmpty(admission.scope))
    : refusalOf(admission, hold);
}

/** Micro-USD. */
const SMALLEST_HOLD = 1;

/** What Redis does not have is loaded from the books, and tried once more. */
async function admitOnCredit(
  { limiter, loadCredit }: AdmissionDependencies,
  charges: readonly Charge[],
  hold: CreditHold,
): Promise<CreditAdmission> {
  const first = await limiter.admitOnCredit(charges, hold);
  if (first.admitted || !('credit' in first) || first.credit !== 'unknown') return first;
  try {
    await loadCredit(first.scopes);
  } catch {
    return { admitted: false, credit: 'unavailable', buckets: first.buckets };
  }
  return limiter.admitOnCredit(charges, hold);
}

function refusalOf(
  refused: Extract<CreditAdmission, { admitted: false }>,
  hold: CreditHold | undefined,
): RelayError {
  if (!('credit' in refused))
    return relayError('rate_limited', explainRate(refused), { retryAfterMs: refused.retryAfterMs });
  if (refused.credit === 'insufficient')
    return relayError('quota_exhausted', explainCredit(refused, hold?.amount ?? 0));
  return relayError('unavailable', 'Your credit cannot be checked at the moment. Try again shortly.', {
    retryAfterMs: 1_000,
  });
}

const limitedBy = (refused: Extract<CreditAdmission, { admitted: false }>): LimitedBy =>
  'dimension' in refused
    ? refused.dimension
    : refused.credit === 'insufficient'
      ? 'credit'
      : 'credit unknown';

type Units = Omit<RequestCost, 'requests' | 'tokens'>;

const NOTHING_BEYOND: Excess = {};

/**
 * What was used beyond the estimate. Units that were estimated and that an answer does not count were used: it is charged
 * for something else.
 *
 * @param used absent of what brought nothing.
 */
export function computeExcess(
  { tokens, units = {} }: { readonly tokens: number; readonly units?: Units },
  used: Readonly<Counts> | undefined,
): Excess {
  const excess: Excess = { tokens: (used ? sumTokens(used, TOKEN_KINDS) : 0) - tokens };
  for (const kind of UNIT_KINDS) {
    const estimated = units[kind] ?? 0;
    excess[kind] = (used ? (used[kind] ?? estimated) : 0) - estimated;
  }
  return excess;
}

/** Units that a request is estimated to use, and 0 of those that it may use beside, such as searches of a hosted tool. */
export function listUsableUnits({
  units,
  reservation,
  model,
}: Pick<AdmissionRequest, 'units' | 'reservation' | 'model'>): Units {
  const bound = model === undefined ? undefined : reservation?.boundOf(model).extras?.units;
  const usable = Object.keys(bound ?? {}).map((kind) => [kind, 0]);
  return { ...Object.fromEntries(usable), ...units };
}

function chargesOf(table: RoutingTable, request: AdmissionRequest): Charge[] {
  const { key, protocol, model, clientAddress, task } = request;
  const route = task ?? protocol;
  const group = table.groups.get(key.group);
  const routed = model === undefined ? undefined : group?.models.get(model);
  const cost = { requests: 1, tokens: request.tokens, ...request.units };
  let withUsable: RequestCost | undefined;
  // What uses no model is mostly over at once.
  const slot = model === undefined && request.lasts !== true ? undefined : newSlot();
  const charges: Charge[] = [];
  const add = (dimension: LimitDimension, id: string, limit: RateLimit | undefined) => {
    if (!limit) return;
    const of = limit.units_per_minute ? (withUsable ??= { ...cost, ...listUsableUnits(request) }) : cost;
    charges.push(...rateLimitCharges({ dimension, id }, limit, of, slot));
  };
  if (Object.keys(table.limits.client).length > 0)
    add('client', clientBlock(clientAddress), table.limits.client);
  add('key', key.key_id, ownOr(table.limits.key, key.limits));
  add('account', key.account_id, key.account_limits);
  add('group', key.group, group?.group.limits);
  add('model', model ?? '', routed?.model.limits);
  add('route', route, table.limits.route[route]);
  return charges;
}

/** The limits that a key sets itself; what it leaves open falls back to the default for keys, each kind of units by itself. */
const ownOr = (standard: RateLimit, own: RateLimit): RateLimit => ({
  requests_per_minute: own.requests_per_minute ?? standard.requests_per_minute,
  tokens_per_minute: own.tokens_per_minute ?? standard.tokens_per_minute,
  concurrent_requests: own.concurrent_requests ?? standard.concurrent_requests,
  units_per_minute: own.units_per_minute
    ? { ...standard.units_per_minute, ...own.units_per_minute }
    : standard.units_per_minute,
});
