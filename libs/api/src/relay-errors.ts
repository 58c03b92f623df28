import type { RelayRouteKind } from './relay-route.ts';

/** A kind of error as every format tells it. */
interface RelayErrorLine {
  readonly status: number;
  /** The same request may succeed later. */
  readonly retry: boolean;
  readonly type: string;
  readonly code: string | null;
  /** One sentence. */
  readonly when: string;
}
export type RelayErrors = Readonly<Record<string, RelayErrorLine>>;

/** Those of the errors that a route without a body may give; the others may give all of them. */
const ERRORS_OF: Readonly<Partial<Record<RelayRouteKind, readonly string[]>>> = {
  models: [
    'invalid_request',
    'model_not_found',
    'invalid_group',
    'missing_key',
    'invalid_key',
    'conflicting_keys',
    'key_expired',
    'key_disabled',
    'not_found',
    'rate_limited',
    'unavailable',
  ],
  background: [
    'invalid_request',
    'unsupported',
    'missing_key',
    'invalid_key',
    'conflicting_keys',
    'key_expired',
    'key_disabled',
    'not_found',
    'rate_limited',
    'upstream_rate_limited',
    'upstream_error',
    'upstream_unavailable',
    'unavailable',
  ],
  websocket: [
    'invalid_request',
    'model_not_found',
    'unsupported',
    'missing_key',
    'invalid_key',
    'conflicting_keys',
    'key_expired',
    'key_disabled',
    'websocket_not_served',
    'rate_limited',
    'quota_exhausted',
    'upstream_rate_limited',
    'upstream_error',
    'upstream_unavailable',
    'unavailable',
    'upstream_timeout',
  ],
  public: ['rate_limited'],
};
/** Told to those alone who ask for a WebSocket. */
const OF_WEBSOCKETS = new Set(['websocket_not_served']);
const ONLY_WITH_KEYS = new Set(['idempotency_in_use', 'idempotency_mismatch']);

/** Refusals of an upstream that the caller has to correct. */
const PASSED_ON = [400, 409, 413, 415, 422];
const OWN_WORDS = 'An upstream’s refusal of what it finds wrong in the request, in its own words.';

/** Sentences about each status that a route may refuse with. */
export function listRelayErrors(
  kind: RelayRouteKind,
  errors: RelayErrors,
): Readonly<Record<string, readonly string[]>> {
  const names =
    ERRORS_OF[kind] ??
    Object.keys(errors).filter(
      (name) => !OF_WEBSOCKETS.has(name) && (kind === 'generate' || !ONLY_WITH_KEYS.has(name)),
    );
  const lines: Record<string, string[]> = {};
  for (const name of names) {
    const error = errors[name];
    if (!error)
      throw new Error(`The relay has no error "${name}": name one that it has, in relay-openapi.ts.`);
    (lines[error.status] ??= []).push(`\`${error.code ?? error.type}\`: ${error.when}`);
  }
  if (kind === 'generate' || kind === 'count')
    for (const status of PASSED_ON) (lines[status] ??= []).push(OWN_WORDS);
  return lines;
}
