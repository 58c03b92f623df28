import type { BrokenStream } from '../codec.ts';
import { type Failure, findFailure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { ERROR_KINDS, type RelayError, type RelayErrorKind } from '../relay-error.ts';

const STATUSES: Readonly<Record<RelayErrorKind, string>> = {
  missing_key: 'UNAUTHENTICATED',
  invalid_key: 'UNAUTHENTICATED',
  conflicting_keys: 'UNAUTHENTICATED',
  key_expired: 'UNAUTHENTICATED',
  key_disabled: 'UNAUTHENTICATED',
  invalid_request: 'INVALID_ARGUMENT',
  model_not_found: 'INVALID_ARGUMENT',
  invalid_group: 'INVALID_ARGUMENT',
  unsupported: 'INVALID_ARGUMENT',
  context_too_long: 'INVALID_ARGUMENT',
  not_found: 'NOT_FOUND',
  websocket_not_served: 'UNIMPLEMENTED',
  request_timeout: 'DEADLINE_EXCEEDED',
  payload_too_large: 'INVALID_ARGUMENT',
  idempotency_in_use: 'ABORTED',
  idempotency_mismatch: 'INVALID_ARGUMENT',
  rate_limited: 'RESOURCE_EXHAUSTED',
  quota_exhausted: 'RESOURCE_EXHAUSTED',
  upstream_rate_limited: 'RESOURCE_EXHAUSTED',
  upstream_error: 'INTERNAL',
  upstream_unavailable: 'UNAVAILABLE',
  upstream_timeout: 'DEADLINE_EXCEEDED',
  unavailable: 'UNAVAILABLE',
  internal: 'INTERNAL',
};

export function geminiErrorBody(error: RelayError): JsonObject {
  const { status, type, code } = ERROR_KINDS[error.kind];
  return {
    error: {
      code: status,
      message: error.message,
      status: STATUSES[error.kind],
      type,
      details: detailsOf(error, code),
    },
  };
}

/** Clients take the waiting time and the reason from the body. */
function detailsOf(error: RelayError, code: string | null): JsonObject[] {
  const details: JsonObject[] = [];
  if (code !== null) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: code.toUpperCase(),
      domain: 'tollgate',
    });
  }
  if (error.retryAfterMs !== undefined) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` });
  }
  if (error.kind === 'quota_exhausted') {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'CreditPerDay', description: error.message }],
    });
  }
  return details;
}

/** The last element of an array, or an event. */
export function geminiStreamError(error: RelayError, { framing, last, begun }: BrokenStream): string {
  const body = JSON.stringify(geminiErrorBody(error));
  if (framing !== 'json-array') return `data: ${body}\n\n`;
  const before = last !== undefined ? ',' : begun ? '' : '[';
  return `${before}${body}]`;
}

export const findGeminiFailure = (event: unknown): Failure | undefined =>
  findFailure(Array.isArray(event) ? event[0] : event);
