import { promptTooLong } from '../context-length.ts';
import { type Failure, findFailure, toFailure } from '../failure.ts';
import { isObject, type JsonObject, textAt } from '../json.ts';
import { ERROR_KINDS, KEY_ERROR_TYPE, type RelayError, type RelayErrorKind } from '../relay-error.ts';

const TYPES: Readonly<Record<RelayErrorKind, string>> = {
  missing_key: KEY_ERROR_TYPE,
  invalid_key: KEY_ERROR_TYPE,
  conflicting_keys: KEY_ERROR_TYPE,
  key_expired: KEY_ERROR_TYPE,
  key_disabled: KEY_ERROR_TYPE,
  invalid_request: 'invalid_request_error',
  model_not_found: 'invalid_request_error',
  invalid_group: 'invalid_request_error',
  unsupported: 'invalid_request_error',
  context_too_long: 'invalid_request_error',
  not_found: 'not_found_error',
  websocket_not_served: 'invalid_request_error',
  request_timeout: 'timeout_error',
  payload_too_large: 'request_too_large',
  idempotency_in_use: 'invalid_request_error',
  idempotency_mismatch: 'invalid_request_error',
  rate_limited: 'rate_limit_error',
  quota_exhausted: 'billing_error',
  upstream_rate_limited: 'rate_limit_error',
  upstream_error: 'api_error',
  upstream_unavailable: 'overloaded_error',
  upstream_timeout: 'timeout_error',
  unavailable: 'overloaded_error',
  internal: 'api_error',
};

export function messagesErrorBody({ kind, message }: RelayError, requestId: string | undefined) {
  const { code } = ERROR_KINDS[kind];
  return {
    type: 'error',
    error: {
      type: TYPES[kind],
      message: kind === 'context_too_long' ? promptTooLong(message) : message,
      ...(code === null ? {} : { details: { error_code: code } }),
    },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  } satisfies JsonObject;
}

export function findMessagesFailure(event: unknown): Failure | undefined {
  const type = textAt(event, 'type');
  if (type === 'message') return undefined;
  return findFailure(event) ?? (type === 'error' && isObject(event) ? toFailure(event) : undefined);
}
