import { duplicateMember, isObject, type JsonObject, relayError, type RelayError } from '@tollgate/protocols';
import { parseMessage } from '../websocket/parse-message.ts';

/** What a client asks for in one message, as its upstream is told it. */
export type ClientEvent =
  | {
      readonly kind: 'pass';
      readonly type: string;
      readonly json: JsonObject;
      readonly eventId: string | undefined;
    }
  | { readonly kind: 'update'; readonly update: SessionUpdate; readonly eventId: string | undefined }
  | { readonly kind: 'create'; readonly response: JsonObject; readonly eventId: string | undefined }
  | { readonly kind: 'refused'; readonly error: RelayError; readonly eventId: string | undefined };

/** A change of a session that the upstream may be told. */
export interface SessionUpdate {
  /** With the upstream's name of the model, and no response that begins by itself. */
  readonly session: JsonObject;
  /** Whether what the user says is to be answered without being asked for; undefined where it stays as it is. */
  readonly responds: boolean | undefined;
  /** The model that writes down what the user says; null for none, undefined where it stays as it is. */
  readonly transcriber: string | null | undefined;
}

interface EventRules {
  /** JSON values in one message. */
  readonly maxValues: number;
  /** The model as the client and as the upstream name it. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Whether the client may use this model beside its own. */
  readonly mayUse: (model: string) => boolean;
}

/** What costs nothing that is not held already: the upstream reads it with the next response. */
const PASSING = new Set([
  'input_audio_buffer.append',
  'input_audio_buffer.commit',
  'input_audio_buffer.clear',
  'output_audio_buffer.clear',
  'conversation.item.create',
  'conversation.item.delete',
  'conversation.item.retrieve',
  'conversation.item.truncate',
  'response.cancel',
]);

/** Reads one message of a client. What is not known to be free of further costs is refused. */
export function readClientEvent(bytes: Buffer, rules: EventRules): ClientEvent {
  const parsed = parseMessage(bytes, rules.maxValues);
  if (!parsed.ok) return refuse(parsed.error, undefined);
  const { json, survey } = parsed;
  const { type, event_id: id } = json;
  const eventId = typeof id === 'string' && id.length <= 512 ? id : undefined;
  // An upstream that reads the first of two would be asked for something else than is read here.
  const twice = duplicateMember(bytes, json, survey);
  if (twice !== undefined) return refuse(wrong(twice, 'stands in the event twice; send it once'), eventId);
  if (type === 'session.update') return readUpdate(json['session'], rules, eventId);
  if (type === 'response.create') return readCreate(json['response'], eventId);
  if (typeof type === 'string' && PASSING.has(type)) return { kind: 'pass', type, json, eventId };
  return refuse(UNKNOWN_TYPE, eventId);
}

function readUpdate(session: unknown, rules: EventRules, eventId: string | undefined): ClientEvent {
  if (!isObject(session)) return refuse(wrong('session', 'must be an object'), eventId);
  const fault = findSessionFault(session, rules) ?? findCostlyFault(session, 'session');
  if (fault) return refuse(fault, eventId);
  const audio = objectOf(session['audio']);
  const input = objectOf(audio?.['input']);
  const detection = input?.['turn_detection'];
  const transcription = input?.['transcription'];
  const named = session['model'] === undefined ? {} : { model: rules.upstreamModel };
  const detected = isObject(detection)
    ? { audio: { ...audio, input: { ...input, turn_detection: { ...detection, create_response: false } } } }
    : {};
  return {
    kind: 'update',
    eventId,
    update: {
      session: { ...session, ...named, ...detected },
      responds: isObject(detection) ? detection['create_response'] !== false : undefined,
      transcriber: isObject(transcription)
        ? String(transcription['model'])
        : transcription === null
          ? null
          : undefined,
    },
  };
}

const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);

/** Names of the first version of the interface, which no upstream is told. */
const FORMER = ['turn_detection', 'input_audio_transcription', 'modalities', 'max_response_output_tokens'];

function findSessionFault(session: JsonObject, rules: EventRules): RelayError | undefined {
  const { model, type } = session;
  if (type !== undefined && type !== 'realtime')
    return unsupported('session.type', 'only sessions of the type "realtime" are served');
  if (model !== undefined && model !== rules.model)
    return wrong('session.model', 'the model of a session cannot be changed');
  const former = FORMER.find((name) => session[name] !== undefined);
  if (former !== undefined)
    return unsupported(`session.${former}`, 'belongs to the beta of this interface, which is not served');
  const input = objectOf(objectOf(session['audio'])?.['input']);
  const detection = objectOf(input?.['turn_detection']);
  if ((detection?.['idle_timeout_ms'] ?? null) !== null)
    return unsupported(
      'session.audio.input.turn_detection.idle_timeout_ms',
      'responses that nobody asks for are not served',
    );
  const transcription = objectOf(input?.['transcription']);
  return transcription && findTranscriberFault(transcription['model'], rules);
}

function findTranscriberFault(model: unknown, { mayUse }: EventRules): RelayError | undefined {
  const param = 'session.audio.input.transcription.model';
  if (typeof model !== 'string' || model === '') return wrong(param, 'must name a model');
  if (mayUse(model)) return undefined;
  return relayError(
    'model_not_found',
    `${param}: the model "${model.slice(0, 200)}" does not exist or is not available to this API key.`,
    { param },
  );
}

/** What a vendor runs or reads itself costs what nobody can hold beforehand. */
function findCostlyFault(owner: JsonObject, at: string): RelayError | undefined {
  if ((owner['prompt'] ?? null) !== null) return unsupported(`${at}.prompt`, 'stored prompts are not served');
  const tools = Array.isArray(owner['tools']) ? (owner['tools'] as readonly unknown[]) : [];
  const index = tools.findIndex((tool) => objectOf(tool)?.['type'] !== 'function');
  if (index < 0) return undefined;
  return unsupported(`${at}.tools[${index}].type`, 'only functions are served: the client runs them');
}

function readCreate(response: unknown, eventId: string | undefined): ClientEvent {
  const given = response ?? {};
  if (!isObject(given)) return refuse(wrong('response', 'must be an object'), eventId);
  const limit = given['max_output_tokens'] ?? 'inf';
  const isLimit = limit === 'inf' || (Number.isSafeInteger(limit) && Number(limit) >= 1);
  const fault = isLimit
    ? findCostlyFault(given, 'response')
    : wrong('response.max_output_tokens', 'must be a whole number from 1, or "inf"');
  return fault ? refuse(fault, eventId) : { kind: 'create', response: given, eventId };
}

const refuse = (error: RelayError, eventId: string | undefined): ClientEvent => ({
  kind: 'refused',
  error,
  eventId,
});
const wrong = (param: string, message: string): RelayError =>
  relayError('invalid_request', `${param}: ${message}.`, { param });
const unsupported = (param: string, message: string): RelayError =>
  relayError('unsupported', `${param}: ${message}.`, { param });

const UNKNOWN_TYPE = relayError(
  'invalid_request',
  'type: is no event that is served here. docs/relay-api.md lists those that are.',
  { param: 'type' },
);
