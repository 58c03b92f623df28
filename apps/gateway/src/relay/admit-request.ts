import type { Model } from '@tollgate/catalogue';
import { estimateRequestTokens, measureTask, tokenBounds } from '@tollgate/metering';
import { andThen } from '@tollgate/platform';
import { boundExtras, type ExtrasBound, type ServedFeatures } from '@tollgate/protocols';
import { type TokenCounts, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import { admit, type Admitted } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { type Reservation, reserve } from '../admit/reserve.ts';
import type { Refusal } from './refuse.ts';
import type { RequestEstimate } from './shaped.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';

type Units = Readonly<Partial<Record<UnitKind, number>>>;

/** What a request that may run has of limits and credit. Its disposal gives back what was not settled by then. */
export interface RequestAdmission extends Disposable {
  /** Estimated, of the request. */
  readonly tokens: number;
  /** Of a task, as we count them where its upstream does not. */
  readonly units: Units;
  /** Of a task: what its answer has usually, where it does not say what it has. */
  readonly written: TokenCounts;
  /** Absent where nothing is billed. */
  readonly reservation: Reservation | undefined;
  /** How the limits stand. */
  readonly headers: Record<string, string>;
  readonly freeSlots: Extract<Admitted, { ok: true }>['freeSlots'];
  readonly keepHold: Extract<Admitted, { ok: true }>['keepHold'];
  readonly settle: Extract<Admitted, { ok: true }>['settle'];
}

type AdmittedRequest =
  | { readonly ok: true; readonly admission: RequestAdmission }
  | ({ readonly ok: false } & Refusal);

/** Takes what the request needs of all limits, and holds what it may cost. */
export function admitRequest(
  deps: RelayDependencies,
  request: RelayRequest,
  { arrivedAt, key, table, summary, payload }: AskedRequest,
): AdmittedRequest | Promise<AdmittedRequest> {
  const { protocol, requestId, clientAddress } = request;
  const { model, output } = summary;
  const task = request.task?.task;
  const measured = measure(request, payload.json);
  const { tokens, units, bound, extras } = measured;
  const reservation =
    request.action === 'count'
      ? undefined
      : reserve(table, {
          requestId,
          arrivedAt,
          key,
          model,
          protocol,
          task,
          output,
          bound,
          extras,
        });
  const of = { clientAddress, protocol, task, key, model, tokens, units, reservation };
  return andThen(admit(deps, table, of), (admitted): AdmittedRequest => {
    const headers = rateHeaders(protocol, admitted.buckets);
    if (!admitted.ok) {
      request.watch.limited(admitted.limitedBy);
      return { ok: false, error: admitted.error, headers };
    }
    return { ok: true, admission: new HeldAdmission(measured, reservation, headers, admitted) };
  });
}

class HeldAdmission implements RequestAdmission {
  readonly tokens: number;
  readonly units: Units;
  readonly written: TokenCounts;
  readonly reservation: Reservation | undefined;
  readonly headers: Record<string, string>;
  readonly freeSlots: RequestAdmission['freeSlots'];
  readonly keepHold: RequestAdmission['keepHold'];
  readonly settle: RequestAdmission['settle'];

  constructor(
    { tokens, units, written }: MeasuredRequest,
    reservation: Reservation | undefined,
    headers: Record<string, string>,
    { freeSlots, keepHold, settle }: Extract<Admitted, { ok: true }>,
  ) {
    this.tokens = tokens;
    this.units = units;
    this.written = written;
    this.reservation = reservation;
    this.headers = headers;
    this.freeSlots = freeSlots;
    this.keepHold = keepHold;
    this.settle = settle;
  }

  [Symbol.dispose](): void {
    this.settle(null);
  }
}

interface MeasuredRequest extends Pick<Parameters<typeof reserve>[1], 'bound' | 'extras'> {
  readonly tokens: number;
  readonly units: Units;
  readonly written: TokenCounts;
}

function measure({ protocol, task }: RelayRequest, body: Readonly<Record<string, unknown>>): MeasuredRequest {
  if (task) {
    const { tokens, units, maxUnits, written, bound } = measureTask(task, body);
    return { tokens, units, written, bound, extras: (_served, model) => boundUnits(maxUnits, model) };
  }
  return {
    tokens: estimateRequestTokens(protocol, body),
    units: {},
    written: {},
    bound: tokenBounds(body),
    extras: (served: ServedFeatures) => boundExtras(protocol, body, served),
  };
}

/** What a request is estimated to use of a model: of the units that we count, those that it has a price for. */
export function estimateUse(
  { tokens, units, written, reservation }: RequestAdmission,
  model: string,
): RequestEstimate {
  const held = reservation?.boundOf(model).extras?.units ?? {};
  const priced: Partial<Record<UnitKind, number>> = {};
  for (const kind of UNIT_KINDS)
    if (units[kind] !== undefined && held[kind] !== undefined) priced[kind] = units[kind];
  return { tokens, units: priced, written };
}

/** Units are those of a model that has a price for them: others bill the tokens of the same request. */
export function boundUnits(max: Units, { unit_prices }: Pick<Model, 'unit_prices'>): ExtrasBound | undefined {
  const priced = UNIT_KINDS.filter((kind) => max[kind] !== undefined && unit_prices?.[kind] !== undefined);
  if (priced.length === 0) return undefined;
  return { units: Object.fromEntries(priced.map((kind) => [kind, max[kind]])), serviceTiers: [] };
}
