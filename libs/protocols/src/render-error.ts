import type { ClientProtocol } from '@tollgate/vocabulary';
import type { StreamFraming } from './protocol.ts';
import { CODECS } from './registry.ts';
import type { TaskCodec } from './tasks/task-codec.ts';
import { ERROR_KINDS, type RelayError } from './relay-error.ts';

interface RenderedError {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * An error in the envelope that the official clients of a format read, which always holds the `error.message` and
 * `error.type` of the relay's interface. `x-should-retry: false` stops SDKs from repeating what cannot succeed.
 */
export function renderError(
  protocol: ClientProtocol,
  error: RelayError,
  requestId: string,
  beside?: TaskCodec['errorMembers'],
): RenderedError {
  const { status, retry } = ERROR_KINDS[error.kind];
  const headers: Record<string, string> = {};
  if (!retry) headers['x-should-retry'] = 'false';
  if (error.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(error.retryAfterMs)));
  }
  return {
    status,
    headers,
    body: JSON.stringify({ ...beside?.(error, requestId), ...CODECS[protocol].errorBody(error, requestId) }),
  };
}

/**
 * The bytes that tell a client that its stream broke, in the form that the format's official SDK raises as an error.
 *
 * @param last the last event that was passed on.
 * @param begun something was already sent.
 */
export const renderStreamError = (
  protocol: ClientProtocol,
  framing: StreamFraming,
  error: RelayError,
  last: unknown,
  begun: boolean = last !== undefined,
): Buffer => Buffer.from(CODECS[protocol].streamError(error, { framing, last, begun }));

/** What may be sent between two events so that nobody on the way takes a silent stream for a dead one. */
export const keepAlive = (protocol: ClientProtocol, framing: StreamFraming): Buffer =>
  framing === 'none' ? NOTHING : CODECS[protocol].keepAlive;

const NOTHING = Buffer.alloc(0);
