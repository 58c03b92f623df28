import {
  type JsonObject,
  isObject,
  parseJson,
  relayError,
  type RelayError,
  renderError,
} from '@tollgate/protocols';
import { newRequestId } from '../front-door/request-id.ts';
import { NOT_FORESEEN } from '../telemetry/request-watch.ts';

/**
 * A refusal of ours as OpenAI tells it in a session.
 *
 * @param eventId of the client's event that it is about.
 */
export function renderRealtimeError(error: RelayError, eventId?: string): string {
  const requestId = newRequestId();
  const parsed = parseJson(renderError('openai-chat', error, requestId).body);
  const shown = isObject(parsed) && isObject(parsed['error']) ? parsed['error'] : {};
  const { type, code = null, message, param = null } = shown as JsonObject;
  return JSON.stringify({
    type: 'error',
    event_id: `event_${requestId}`,
    error: { type, code, message, param, event_id: eventId ?? null },
  });
}

export const ENDED = {
  old: relayError('request_timeout', 'This session is as old as it may be. Open a new one.'),
  idle: relayError('request_timeout', 'Nothing came over this session for too long. Open a new one.'),
  stopping: relayError('unavailable', 'This server stops. Open a new session, which another one serves.', {
    retryAfterMs: 1_000,
  }),
  flood: relayError('invalid_request', 'Too many messages in a row could not be served.'),
  upstream: relayError('upstream_error', 'The upstream has ended this session. Open a new one.'),
  failed: NOT_FORESEEN,
} as const;
