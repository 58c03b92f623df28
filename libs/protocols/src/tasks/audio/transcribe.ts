import { z } from 'zod';
import { countAt, isObject, type JsonObject, listAt, nonZero, objectAt, textAt } from '../../json.ts';
import { findFailure, toFailure } from '../../failure.ts';
import { modelField } from '../../schema.ts';
import type { BilledExtras } from '../../billed-extras.ts';
import type {
  AnswerRules,
  ConvertedTask,
  TaskClient,
  TaskCodec,
  TaskConversion,
  TaskStreams,
} from '../task-codec.ts';
import { measureSound } from './sound-length.ts';
import { readLength, renderTranscript, TRANSCRIPT_FORMATS } from './transcript.ts';

/** Of sound: what it counts usually, and at most. */
const TOKENS_PER_S = 10;
const MAX_TOKENS_PER_S = 40;

const file = z.looseObject(
  { filename: z.string(), bytes: z.int().min(1, 'is empty') },
  { error: 'is required and must be a file' },
);
type Format = (typeof TRANSCRIPT_FORMATS)[number];
const format = z.enum(TRANSCRIPT_FORMATS, { error: `must be one of ${TRANSCRIPT_FORMATS.join(', ')}` });
const translateSchema = z.looseObject({ model: modelField, file, response_format: format.nullish() });
const transcribeSchema = translateSchema.extend({
  stream: z.enum(['true', 'false', 'True', 'False'], { error: 'must be true or false' }).nullish(),
});

const formatOf = (body: JsonObject): Format => (textAt(body, 'response_format') || 'json') as Format;

/** Those that no model writes bit by bit: as OpenAI does, a stream of them is not given. */
const UNSTREAMED: ReadonlySet<Format> = new Set(['srt', 'vtt']);
const streamsTranscript = (body: JsonObject): boolean =>
  /^true$/i.test(textAt(body, 'stream')) && !UNSTREAMED.has(formatOf(body));

const client = (schema: TaskClient['schema'], isStreamed: (body: JsonObject) => boolean): TaskClient => ({
  schema,
  form: 'required',
  streams: isStreamed,
  modelInBody: true,
  sounds: true,
  readInputs(body) {
    const { counted, max } = measureSound(body['file']);
    return [
      {
        texts: [textAt(body, 'prompt')],
        media: Math.ceil((counted * TOKENS_PER_S) / 1_000),
        maxMedia: Math.ceil((max * MAX_TOKENS_PER_S) / 1_000),
      },
    ];
  },
  readUnits: (body) => ({ audio_milliseconds: measureSound(body['file']) }),
  // As much as the model writes; nobody can say less.
  output: () => ({ ok: true, output: { limit: null, raisedTo: 0, beside: 0, answers: 1 } }),
});

const lengthOf = (answer: unknown): BilledExtras | undefined => {
  const length = readLength(answer);
  return length === undefined ? undefined : { units: { audio_milliseconds: length } };
};

function findUsage(answer: unknown): JsonObject | undefined {
  const usage = objectAt(answer, 'usage');
  return usage && textAt(usage, 'type') !== 'duration' ? usage : undefined;
}

const isDone = (event: unknown): boolean => textAt(event, 'type') === 'transcript.text.done';

const rules: AnswerRules = {
  usage: {
    findInBody: findUsage,
    findInEvent(event) {
      const usage = findUsage(event);
      return usage && { usage, final: true, cumulative: true };
    },
    toTokens(usage) {
      const input = countAt(usage, 'input_tokens');
      const details = objectAt(usage, 'input_token_details');
      // Nearly all of it is sound, where nobody says what is.
      const sound = details ? Math.min(input, countAt(details, 'audio_tokens')) : input;
      return nonZero({ input: input - sound, input_audio: sound, output: countAt(usage, 'output_tokens') });
    },
  },
  extras: {
    findInBody: lengthOf,
    findInEvent: (event, before) => (isDone(event) ? (lengthOf(event) ?? before) : before),
  },
  findFailure(value) {
    if (textAt(value, 'type') !== 'error' || !isObject(value)) return findFailure(value);
    return findFailure(value) ?? toFailure(value);
  },
  isPreamble: () => false,
  isFinal: isDone,
  emittedText: (event) => (isDone(event) ? '' : textAt(event, 'delta') || textAt(event, 'text')),
  streamsJsonArrays: false,
};

/** For models that take no stream, as whisper-1 does not, though their clients ask for one. */
const streams: TaskStreams = {
  usageOnRequest: false,
  replay(answer) {
    const text = textAt(answer, 'text');
    const usage = objectAt(answer, 'usage');
    const segments = listAt(answer, 'segments').flatMap((each) =>
      textAt(each, 'speaker') !== '' && isObject(each) ? [{ ...each, type: 'transcript.text.segment' }] : [],
    );
    const events = [
      { type: 'transcript.text.delta', delta: text },
      ...segments,
      { type: 'transcript.text.done', text, ...(usage ? { usage } : {}) },
    ];
    return events.map((data) => ({ data }));
  },
};

/** What upstreams are asked for in place of a format whose answers report nothing that is billed. */
type Asked = Readonly<Partial<Record<Format, Format>>>;
const TRANSCRIBED: Asked = { text: 'json', srt: 'verbose_json', vtt: 'verbose_json' };
/** Translations as plain JSON say nothing of their length. */
const TRANSLATED: Asked = { ...TRANSCRIBED, json: 'verbose_json', text: 'verbose_json' };

function convert(
  asked: Asked,
  streamed: boolean,
  { body, bytes, namedModel, upstreamModel }: TaskConversion,
): ConvertedTask {
  const expected = formatOf(body);
  const instead = asked[expected];
  const form = {
    ...(namedModel === upstreamModel ? {} : { model: upstreamModel }),
    ...(instead === undefined ? {} : { response_format: instead }),
    ...('stream' in body && !streamed ? { stream: undefined } : {}),
  };
  return {
    ok: true,
    bodies: [bytes],
    form,
    dropped: [],
    toAnswer([answer]: readonly unknown[]) {
      if (instead === undefined || streamed) return 'as it is';
      if (!isObject(answer)) return 'unreadable';
      if (expected === 'json') return { body: { text: textAt(answer, 'text') } };
      const text = renderTranscript(answer, expected as 'text' | 'srt' | 'vtt');
      return text === undefined ? 'unreadable' : { text };
    },
  };
}

const spokenBy: TaskCodec['spokenBy'] = { 'openai-chat': ['openai'], 'openai-responses': ['openai'] };

/** Speech as text, billed by what its answer says: tokens, or the length of the sound. */
export const transcribe: TaskCodec = {
  telemetry: 'transcription',
  mayFallBack: true,
  spokenBy,
  clients: { openai: client(transcribeSchema, streamsTranscript) },
  upstreams: { openai: { path: () => '/v1/audio/transcriptions', rules } },
  streams,
  convert: (conversion) => convert(TRANSCRIBED, streamsTranscript(conversion.body), conversion),
};

/** Speech of any language as English text. */
export const translate: TaskCodec = {
  telemetry: 'translation',
  mayFallBack: true,
  spokenBy,
  // There are no streams of them.
  clients: { openai: client(translateSchema, () => false) },
  upstreams: { openai: { path: () => '/v1/audio/translations', rules } },
  convert: (conversion) => convert(TRANSLATED, false, conversion),
};
