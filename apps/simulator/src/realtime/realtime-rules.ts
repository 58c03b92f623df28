import { isObject, type Json } from '../question.ts';

/** Why OpenAI refuses an event, in its words. */
export interface EventRefusal {
  readonly message: string;
  readonly code: string;
  readonly param?: string;
}

const CLIENT_EVENTS = [
  'session.update',
  'input_audio_buffer.append',
  'input_audio_buffer.commit',
  'input_audio_buffer.clear',
  'conversation.item.create',
  'conversation.item.retrieve',
  'conversation.item.truncate',
  'conversation.item.delete',
  'response.create',
  'response.cancel',
];
const SESSION_FIELDS = new Set([
  'type',
  'model',
  'output_modalities',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'audio',
  'tracing',
  'truncation',
  'prompt',
  'include',
  'reasoning',
]);
const RESPONSE_FIELDS = new Set([
  'audio',
  'conversation',
  'input',
  'instructions',
  'max_output_tokens',
  'metadata',
  'output_modalities',
  'parallel_tool_calls',
  'prompt',
  'reasoning',
  'tool_choice',
  'tools',
]);
const MODALITIES = new Set(['["text"]', '["audio"]']);
const TRANSCRIBERS = /^(?:whisper-1|gpt-4o(?:-mini)?-transcribe|gpt-realtime-whisper|sim-|tasks)/;

/** What is wrong with an event, whatever came before it. */
export function refuseEvent(event: Json, model: string): EventRefusal | undefined {
  const type = String(event['type']);
  if (!CLIENT_EVENTS.includes(type))
    return {
      message: `Invalid value: '${type}'. Supported values are: ${CLIENT_EVENTS.map((each) => `'${each}'`).join(', ')}.`,
      code: 'invalid_value',
      param: 'type',
    };
  if (type === 'session.update') return refuseSession(event['session'], model);
  if (type === 'response.create') return refuseFields(event['response'] ?? {}, 'response', RESPONSE_FIELDS);
  if (type === 'input_audio_buffer.append' && typeof event['audio'] !== 'string') return missing('audio');
  if (type === 'conversation.item.create' && !isObject(event['item'])) return missing('item');
  return undefined;
}

function refuseSession(session: unknown, model: string): EventRefusal | undefined {
  if (!isObject(session)) return missing('session');
  if (session['type'] === undefined) return missing('session.type');
  if (session['type'] !== 'realtime')
    return {
      message: 'Passing a transcription session update event to a realtime session is not allowed.',
      code: 'invalid_parameter',
      param: 'session.type',
    };
  if (session['model'] !== undefined && session['model'] !== model)
    return {
      message: 'Cannot update the model of a session.',
      code: 'cannot_update_model',
      param: 'session.model',
    };
  const { audio } = session;
  const input = isObject(audio) && isObject(audio['input']) ? audio['input'] : {};
  const transcription = isObject(input['transcription']) ? input['transcription'] : undefined;
  if (transcription && !TRANSCRIBERS.test(String(transcription['model'])))
    return {
      message: `Invalid value: '${String(transcription['model'])}'.`,
      code: 'invalid_value',
      param: 'session.audio.input.transcription.model',
    };
  return refuseFields(session, 'session', SESSION_FIELDS);
}

function refuseFields(owner: unknown, at: string, known: ReadonlySet<string>): EventRefusal | undefined {
  if (!isObject(owner)) return missing(at);
  const unknown = Object.keys(owner).find((name) => !known.has(name));
  if (unknown !== undefined)
    return {
      message: `Unknown parameter: '${at}.${unknown}'.`,
      code: 'unknown_parameter',
      param: `${at}.${unknown}`,
    };
  const { max_output_tokens: limit = 'inf', output_modalities: modalities } = owner;
  if (limit !== 'inf' && !(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= 4_096))
    return {
      message: `Invalid '${at}.max_output_tokens': expected an integer between 1 and 4096, or "inf".`,
      code: 'invalid_value',
      param: `${at}.max_output_tokens`,
    };
  if (modalities !== undefined && !MODALITIES.has(JSON.stringify(modalities)))
    return {
      message: `Invalid modalities: ${JSON.stringify(modalities)}. Supported combinations are: ['text'] and ['audio'].`,
      code: 'invalid_value',
      param: `${at}.output_modalities`,
    };
  return undefined;
}

const missing = (param: string): EventRefusal => ({
  message: `Missing required parameter: '${param}'.`,
  code: 'missing_required_parameter',
  param,
});
