import { countWords } from '../answer.ts';
import type { Billed } from '../bill/billed.ts';
import type { StreamEvent } from '../formats/format.ts';
import { bearer } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { field, isObject, type Json } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import type { Script } from '../script.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://platform.openai.com/docs/api-reference/audio/createTranscription';
const MEMBERS = new Set([
  'model',
  'file',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'include[]',
  'timestamp_granularities[]',
  'stream',
  'chunking_strategy',
  'known_speaker_names[]',
  'known_speaker_references[]',
]);
const FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'];
const ENDS = /\.(?:flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/i;

/** Models that bill tokens, as OpenAI's of 2025 do; whisper bills by the second. */
interface Profile {
  readonly bills: 'tokens' | 'seconds';
}
const PROFILES = [{ models: /gpt-4o|gpt-transcribe/, source: API, takes: { bills: 'tokens' } }] as const;
const UNKNOWN: Profile = { bills: 'seconds' };
const profileOf = (model: string): Profile =>
  PROFILES.find(({ models }) => models.test(model))?.takes ?? UNKNOWN;

const wrong = (message: string, param: string): Refusal => ({ status: 400, message, param });
const rule = (id: string, refuses: string, check: Rule<Profile>['check']): Rule<Profile> => ({
  id,
  refuses,
  source: API,
  check,
});

export const TRANSCRIPTION_RULES: readonly Rule<Profile>[] = [
  rule('transcribe-unknown-member', 'a field that the end point does not know', ({ body }) => {
    const unknown = Object.keys(body).find(
      (name) => !MEMBERS.has(name) && !name.startsWith('chunking_strategy['),
    );
    return unknown === undefined
      ? undefined
      : wrong(`Unrecognized request argument supplied: ${unknown}`, unknown);
  }),
  rule('transcribe-model', 'no model', ({ body }) =>
    typeof body['model'] === 'string' && body['model'] !== ''
      ? undefined
      : wrong('you must provide a model parameter', 'model'),
  ),
  rule('transcribe-file', 'no file, or one whose name ends in no format of sound', ({ body: { file } }) =>
    isObject(file) && ENDS.test(String(file['name']))
      ? undefined
      : wrong(
          "Unrecognized file format. Supported formats: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']",
          'file',
        ),
  ),
  rule('transcribe-format', 'a format that there is not', ({ body }) => {
    const format = String(body['response_format'] ?? 'json');
    return FORMATS.includes(format)
      ? undefined
      : wrong(`[{'type': 'enum', 'loc': ('body', 'response_format')}]`, 'response_format');
  }),
  rule(
    'transcribe-format-of-model',
    'subtitles and timestamps of a model that bills tokens, and speakers of one that does not tell them apart',
    ({ body, model, profile }) => {
      const format = String(body['response_format'] ?? 'json');
      const takes =
        format === 'diarized_json'
          ? model.includes('diarize')
          : profile.bills === 'seconds' || ['json', 'text'].includes(format);
      return takes
        ? undefined
        : wrong(
            `response_format '${format}' is not compatible with model '${model}'. Use 'json' or 'text' instead.`,
            'response_format',
          );
    },
  ),
];

const WORDS = 8;
const WORDS_OF_A_SEGMENT = 4;

/** Seconds of a sound: as the header of a WAV says, else as if it were of 128 kbit/s. */
function lengthOf(file: unknown, { sound_seconds: stated }: Script): number {
  if (stated !== undefined) return stated;
  const head = Buffer.from(String(field(file, 'head') ?? ''), 'base64');
  const bytes = Number(field(file, 'bytes') ?? 0);
  const isWav = head.length >= 36 && head.toString('latin1', 0, 4) === 'RIFF';
  return isWav ? (bytes - 44) / head.readUInt32LE(28) : bytes / 16_000;
}

/** What was heard, in pieces of a few words. */
const segmentsOf = (words: readonly string[], heard: number) => {
  const each = heard / Math.ceil(words.length / WORDS_OF_A_SEGMENT);
  return words.flatMap((_, at) => {
    const id = at / WORDS_OF_A_SEGMENT;
    const text = ` ${words.slice(at, at + WORDS_OF_A_SEGMENT).join(' ')}`;
    return Number.isInteger(id) ? [{ id, start: id * each, end: (id + 1) * each, text }] : [];
  });
};

/** JSON, or the text that whoever asks for no JSON gets: nothing that can be billed stands in that. */
function wholeAnswer(
  words: readonly string[],
  of: {
    readonly format: string;
    readonly heard: number;
    readonly task: string;
    readonly duration: object;
    readonly usage: object;
  },
): unknown {
  const { task, usage } = of;
  const text = words.join(' ');
  const segments = segmentsOf(words, of.heard);
  switch (of.format) {
    case 'json':
      return { text, ...usage };
    case 'verbose_json':
      return { task, language: 'english', ...of.duration, text, segments, ...usage };
    case 'diarized_json': {
      const spoken = { type: 'transcript.text.segment', speaker: 'A' };
      return {
        task,
        duration: of.heard,
        text,
        segments: segments.map((each) => ({ ...each, ...spoken })),
        ...usage,
      };
    }
    default:
      return `${text}\n`;
  }
}

function answerWith(body: Json, model: string, script: Script, isTranslation: boolean) {
  const words =
    script.text?.split(' ') ?? Array.from({ length: script.words ?? WORDS }, (_, at) => `word${at + 1}`);
  const heard = lengthOf(body['file'], script);
  const seconds = script.sound_seconds ?? Math.ceil(heard);
  const prompt = countWords(String(body['prompt'] ?? '').replace(/\[\[sim .*\]\]/s, ''));
  const audio = Math.ceil(heard * 10);
  const isTokens = profileOf(model).bills === 'tokens';
  const text = words.join(' ');
  const usage = isTokens
    ? {
        type: 'tokens',
        input_tokens: audio + prompt,
        input_token_details: { text_tokens: prompt, audio_tokens: audio },
        output_tokens: words.length,
        total_tokens: audio + prompt + words.length,
      }
    : { type: 'duration', seconds };
  const tells = script.no_usage !== true && !isTranslation;
  const whole = wholeAnswer(words, {
    format: String(body['response_format'] ?? 'json'),
    heard,
    task: isTranslation ? 'translate' : 'transcribe',
    duration: script.no_usage ? {} : { duration: seconds },
    usage: tells ? { usage } : {},
  });
  const events: StreamEvent[] = [
    ...words.map((word, at) => ({
      data: { type: 'transcript.text.delta', delta: at === 0 ? word : ` ${word}` },
    })),
    { data: { type: 'transcript.text.done', text, ...(tells ? { usage } : {}) } },
  ];
  const billed: Billed = {
    model,
    tier: 'standard',
    region: undefined,
    tokens: isTokens ? { input: prompt, audio_input: audio, output: words.length } : {},
    tools: isTokens ? {} : { audio_millisecond: countMilliseconds(seconds) },
  };
  return {
    body: whole,
    billed: [billed],
    tokens: audio + prompt,
    output: words.length,
    ...(isTokens ? { events } : {}),
  };
}

/** By the digits of the answer: a product of doubles may be a little more than what is meant. */
const countMilliseconds = (seconds: number): number => Math.ceil(Number(`${seconds}e3`));

const door = (isTranslation: boolean): TaskDoor => ({
  form: true,
  refuse: refuseBy({ rules: TRANSCRIPTION_RULES, profiles: PROFILES, unknown: UNKNOWN }),
  error: openaiError,
  credential: bearer,
  read: (body) => ({ model: String(body['model']), inputs: [String(body['prompt'] ?? '')] }),
  answer: ({ model }, body, script) => answerWith(body, model, script, isTranslation),
});

/** OpenAI's `/v1/audio/transcriptions`, and its translations, which report no usage. */
export const transcribe = door(false);
export const translate = door(true);
