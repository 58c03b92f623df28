import type { RelayError } from '@tollgate/protocols';
import { refuseUnrunTools } from '../forward/refused-tools.ts';
import { route, type Stage } from '../route/route.ts';
import { canCount } from './count.ts';
import type { AskedRequest, RelayRequest } from './relay-request.ts';

export interface RoutedRequest {
  readonly kind: 'routed';
  readonly stages: readonly Stage[];
  /** For upstreams that require a limit of output tokens. */
  readonly defaultMaxTokens: number;
}

/** Who may answer, in no order. Tokens are counted by the model itself, and only where its upstream can. */
export function routeRequest(
  { protocol, action, task }: RelayRequest,
  { key, table, summary }: AskedRequest,
):
  | RoutedRequest
  | { readonly kind: 'refused'; readonly error: RelayError }
  | { readonly kind: 'nobody counts' } {
  const routed = route(table, { group: key.group, model: summary.model, protocol, task });
  if (!routed.ok) return { kind: 'refused', error: routed.error };
  const [first] = routed.stages;
  const defaultMaxTokens = first.routed.maxOutputTokens;
  if (action !== 'count') return { kind: 'routed', stages: routed.stages, defaultMaxTokens };
  const candidates = first.candidates.filter(canCount);
  if (candidates.length === 0) return { kind: 'nobody counts' };
  return { kind: 'routed', stages: [{ ...first, candidates }], defaultMaxTokens };
}

/** Why nobody who may be asked serves what is asked for, as far as that can be told before anything is held. */
export function refuseUnserved(
  { protocol, task, action }: RelayRequest,
  { key, payload }: AskedRequest,
  routed: ReturnType<typeof routeRequest>,
): RelayError | undefined {
  if (routed.kind !== 'routed' || task || action === 'count') return undefined;
  return refuseUnrunTools(routed.stages, { protocol, body: payload.json, strict: key.strict });
}
