import type { KeyRecord, Protocol, RateLimit } from '@tollgate/contracts';
import {
  type Admission,
  rateLimitCharges,
  type ResilientLimiter,
  type TokenBucketCharge,
} from '@tollgate/limits';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { RoutingTable } from '../route/routing-table.ts';

export interface AdmissionRequest {
  readonly clientAddress: string;
  readonly key: KeyRecord;
  readonly protocol: Protocol;
  /** Absent for requests that use no model, such as listing. */
  readonly model?: string;
  /** Estimated tokens of the request; corrected by `settle` once the real number is known. */
  readonly tokens: number;
}

export type Admitted =
  | { readonly ok: true; readonly admission: Admission; readonly settle: (actualTokens: number) => void }
  | { readonly ok: false; readonly admission: Admission; readonly error: RelayError };

/** May this request run now? Every limit that applies is charged in one Redis round trip, or none is. */
export async function admit(
  limiter: ResilientLimiter,
  table: RoutingTable,
  request: AdmissionRequest,
): Promise<Admitted> {
  const charges = chargesOf(table, request);
  const admission = await limiter.admit(charges);
  if (!admission.admitted) {
    return {
      ok: false,
      admission,
      error: relayError('rate_limited', explain(admission), { retryAfterMs: admission.retryAfterMs }),
    };
  }
  return {
    ok: true,
    admission,
    settle(actualTokens) {
      const delta = actualTokens - request.tokens;
      const corrections = charges
        .filter(({ unit }) => unit === 'tokens')
        .map(({ key, capacity, refillPerMinute }) => ({ key, capacity, refillPerMinute, delta }));
      if (delta !== 0 && corrections.length > 0) void limiter.settle(corrections);
    },
  };
}

function chargesOf(table: RoutingTable, request: AdmissionRequest): TokenBucketCharge[] {
  const { key, protocol, model, clientAddress } = request;
  const group = table.groups.get(key.group);
  const routed = model === undefined ? undefined : group?.models.get(model);
  const scopes: [Parameters<typeof rateLimitCharges>[0], RateLimit | undefined][] = [
    [{ dimension: 'client', id: clientAddress }, table.limits.client],
    [
      { dimension: 'key', id: key.key_id },
      { ...table.limits.key, ...given(key.limits) },
    ],
    [{ dimension: 'group', id: key.group }, group?.group.limits],
    [{ dimension: 'model', id: model ?? '' }, routed?.model.limits],
    [{ dimension: 'route', id: protocol }, table.limits.route[protocol]],
  ];
  const cost = { requests: 1, tokens: request.tokens };
  return scopes.flatMap(([scope, limit]) => (limit ? rateLimitCharges(scope, limit, cost) : []));
}

/** The limits that a key sets itself; what it leaves open falls back to the default for keys. */
const given = (limits: RateLimit): RateLimit =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null && value !== undefined));

const OWNER = {
  client: 'your address',
  key: 'this API key',
  account: 'this account',
  group: 'the group of this API key',
  model: 'this model',
  route: 'this endpoint',
};

function explain(refused: Extract<Admission, { admitted: false }>): string {
  const seconds = Math.max(1, Math.ceil(refused.retryAfterMs / 1_000));
  return `The limit of ${refused.limit} ${refused.unit} per minute for ${OWNER[refused.dimension]} is reached. Try again in ${seconds} s.`;
}
