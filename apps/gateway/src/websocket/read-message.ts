import { changeBodyFields, type JsonObject, relayError, type RelayError } from '@tollgate/protocols';
import { INVALID_STREAM_ID, renderRelayError, renderSocketError } from './error-events.ts';
import { parseMessage } from './parse-message.ts';

/** What a client says in one message. */
type ClientMessage =
  | { readonly kind: 'create'; readonly create: CreateMessage }
  /** Nobody has to answer it. */
  | { readonly kind: 'notice' }
  /** @param event the answer. */
  | { readonly kind: 'refused'; readonly event: string };

/** A message that asks for a response. */
export interface CreateMessage {
  readonly streamId: string | undefined;
  /** Without what only the message says: the body of the POST that it stands for. */
  readonly body: Buffer;
  readonly json: JsonObject;
  /** Whether a model is to be asked; else the request is only made ready. */
  readonly generates: boolean;
}

const STREAM_ID = /^[A-Za-z0-9_.-]{1,256}$/;

/** Reads a message of a client, which is one JSON object. */
export function readMessage(
  bytes: Buffer,
  limits: { readonly bodyValues: number },
  newId: () => string,
): ClientMessage {
  const parsed = parseMessage(bytes, limits.bodyValues);
  if (!parsed.ok) return refuse(parsed.error, newId());
  const { json } = parsed;
  const streamId = json['stream_id'] ?? undefined;
  if (streamId !== undefined && !(typeof streamId === 'string' && STREAM_ID.test(streamId)))
    return { kind: 'refused', event: renderSocketError(INVALID_STREAM_ID) };
  switch (json['type']) {
    case 'response.create':
      return readCreate(bytes, json, streamId, newId);
    // Codex tells so that it has read a response.
    case 'response.processed':
      return { kind: 'notice' };
    case 'response.steer':
      return { kind: 'refused', event: refuseSteering(json) };
    default:
      return refuse(UNKNOWN_TYPE, newId(), streamId);
  }
}

function readCreate(
  bytes: Buffer,
  json: JsonObject,
  streamId: string | undefined,
  newId: () => string,
): ClientMessage {
  const background = json['background'] ?? false;
  const generate = json['generate'] ?? true;
  if (background !== false) return refuse(NO_BACKGROUND, newId(), streamId);
  if (typeof generate !== 'boolean') return refuse(NO_BOOLEAN, newId(), streamId);
  const only = { type: undefined, stream_id: undefined, generate: undefined, background: undefined };
  const body = changeBodyFields(bytes, { ...only, stream: true });
  return { kind: 'create', create: { streamId, body, json, generates: generate } };
}

const refuse = (error: RelayError, requestId: string, streamId?: string): ClientMessage => ({
  kind: 'refused',
  event: renderRelayError(error, requestId, streamId),
});

/** Steering changes a response that a vendor is at work on, which no upstream lets us do. */
const refuseSteering = ({ previous_response_id, input }: JsonObject): string =>
  JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    steer: { previous_response_id, input },
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'Steering is not served. Send the input with the next response.create.',
    },
  });

const UNKNOWN_TYPE = relayError('invalid_request', 'type: must be "response.create".', { param: 'type' });
const NO_BOOLEAN = relayError('invalid_request', 'generate: must be true or false.', { param: 'generate' });
const NO_BACKGROUND = relayError(
  'unsupported',
  'background: work that goes on after the answer is not served over a WebSocket. Send a POST.',
  { param: 'background' },
);
