import { relayError, type RelayError, renderError } from '@tollgate/protocols';

/** An error as OpenAI tells it over a WebSocket. */
interface SocketError {
  readonly status: number;
  readonly error: {
    readonly type: string;
    readonly code: string | null;
    readonly message: string;
    readonly param: string | null;
  };
}

/** Members put before those of an event, whose own bytes stay as they are. */
export function withMembers(event: string, members: Readonly<Record<string, unknown>>): string {
  const added = JSON.stringify(members);
  return added === '{}' || !/^\{\s*"/.test(event) ? event : `${added.slice(0, -1)},${event.slice(1)}`;
}

/** Which of the responses on a connection an event belongs to; nothing where the client gave it no name. */
export const streamMember = (streamId: string | undefined): { readonly stream_id?: string } =>
  streamId === undefined ? {} : { stream_id: streamId };

export const renderSocketError = (error: SocketError, streamId?: string): string =>
  JSON.stringify({ type: 'error', ...streamMember(streamId), ...error });

/** A refusal of ours, with what an HTTP answer would say in its headers. */
export function renderRelayError(error: RelayError, requestId: string, streamId?: string): string {
  const { status, headers, body } = renderError('openai-responses', error, requestId);
  return renderAnswer({ status, headers: { ...headers, 'x-request-id': requestId } }, body, streamId);
}

/** An answer that is no stream of events: a refusal, of ours or of an upstream. */
export function renderAnswer(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  body: string,
  streamId?: string,
): string {
  const rendered = toSocketError(status, body);
  return withMembers(renderSocketError(rendered, streamId), { headers: selectHeaders(headers) });
}

function toSocketError(status: number, body: string): SocketError {
  const error = readError(body);
  // Clients send the conversation in full when they read this code.
  const isLost = status === 404 && error.param === 'previous_response_id';
  return isLost
    ? { status: 400, error: { ...error, code: 'previous_response_not_found' } }
    : { status, error };
}

function readError(body: string): SocketError['error'] {
  try {
    const { error } = JSON.parse(body) as { readonly error?: Partial<SocketError['error']> };
    if (typeof error === 'object' && error !== null && typeof error.message === 'string')
      return { type: 'invalid_request_error', code: null, param: null, message: error.message, ...error };
  } catch {
    // It is told as it came.
  }
  return { type: 'upstream_error', code: null, param: null, message: body.slice(0, 1_000) };
}

/** What of the headers of an answer says something on a connection that has none. */
const TOLD = /^(?:x-request-id|retry-after(?:-ms)?|x-should-retry|x-ratelimit-[\w-]+|x-tollgate-[\w-]+)$/;

export const selectHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD.test(name)));

const invalid = (code: string | null, message: string, param: string | null): SocketError => ({
  status: 400,
  error: { type: 'invalid_request_error', code, message, param },
});

/** The words of OpenAI, which clients know. */
export const TOO_OLD = invalid(
  'websocket_connection_limit_reached',
  'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
  null,
);
export const INVALID_STREAM_ID = invalid(
  'invalid_stream_id',
  "The 'stream_id' field must be a non-empty string with at most 256 characters and may only contain letters, numbers, underscores, hyphens, and periods.",
  'stream_id',
);
export const TOO_MANY_STREAMS = invalid(
  'websocket_stream_limit_reached',
  'This WebSocket connection has reached its maximum number of distinct stream IDs (32). Reuse an existing stream_id or open a new WebSocket connection.',
  'stream_id',
);

export const TOO_MANY_AT_ONCE = relayError(
  'rate_limited',
  'Sixteen responses are under way or wait on this WebSocket connection, which is as many as may be. Wait for one to end.',
  { retryAfterMs: 1_000 },
);
export const NOT_FINISHED = relayError(
  'internal',
  'Something failed here, and the response has no end. The operators can find it in the log.',
);
export const STOPPING = relayError(
  'unavailable',
  'This server stops. Open a new WebSocket connection, which another one serves.',
  { retryAfterMs: 1_000 },
);
