import { type Failure, findFailure, toFailure } from '../failure.ts';
import { isObject, objectAt, textAt } from '../json.ts';
import type { RelayError, RelayErrorKind } from '../relay-error.ts';
import { encodeSse } from '../stream/encode-sse.ts';

const CODES: Partial<Record<RelayErrorKind, string>> = {
  context_too_long: 'context_length_exceeded',
  quota_exhausted: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  upstream_rate_limited: 'rate_limit_exceeded',
  invalid_request: 'invalid_prompt',
};

/** The code of a failed response in a stream: agents act on these alone, and take every other for a fault that may pass. */
export const responsesCode = (kind: RelayErrorKind): string => CODES[kind] ?? 'server_error';

/** Clients want the sequence and the response of the last event that passed continued. */
export function responsesStreamError({ kind, message }: RelayError, last: unknown): string {
  const sequence =
    isObject(last) && typeof last['sequence_number'] === 'number' ? last['sequence_number'] + 1 : 0;
  const code = responsesCode(kind);
  const response = {
    id: textAt(objectAt(last, 'response'), 'id') || 'resp_unknown',
    object: 'response',
    status: 'failed',
    output: [],
    error: { code, message },
  };
  return (
    encodeSse({ type: 'error', code, message, param: null, sequence_number: sequence }) +
    encodeSse({ type: 'response.failed', sequence_number: sequence + 1, response })
  );
}

const FAILED = new Set(['failed', 'cancelled']);

export function findResponsesFailure(event: unknown): Failure | undefined {
  const type = textAt(event, 'type');
  const response = type === 'response.failed' ? objectAt(event, 'response') : event;
  if (type === 'error' && isObject(event)) return findFailure(event) ?? toFailure(event);
  if (type !== 'response.failed' && textAt(response, 'object') !== 'response') return findFailure(event);
  if (type !== 'response.failed' && !FAILED.has(textAt(response, 'status'))) return undefined;
  return findFailure(response) ?? findFailure(event) ?? { message: undefined, status: 500 };
}
