import { countWords } from '../answer.ts';
import type { Billed } from '../bill/billed.ts';
import type { StreamEvent } from '../formats/format.ts';
import { bearer } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import { withoutScript } from '../script.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://platform.openai.com/docs/api-reference/audio/createSpeech';
const MEMBERS = new Set([
  'model',
  'input',
  'voice',
  'instructions',
  'response_format',
  'speed',
  'stream_format',
]);
const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
const MAX_CHARACTERS = 4_096;

/** tts-1 bills characters and knows no events. */
interface Profile {
  readonly bills: 'tokens' | 'characters';
}
const PROFILES = [{ models: /tts-1/, source: API, takes: { bills: 'characters' } }] as const;
const UNKNOWN: Profile = { bills: 'tokens' };

const wrong = (message: string, param: string): Refusal => ({ status: 400, message, param });
const rule = (id: string, refuses: string, check: Rule<Profile>['check']): Rule<Profile> => ({
  id,
  refuses,
  source: API,
  check,
});

export const SPEECH_RULES: readonly Rule<Profile>[] = [
  rule('speak-unknown-member', 'a member that the end point does not know', ({ body }) => {
    const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
    return unknown === undefined
      ? undefined
      : wrong(`Unrecognized request argument supplied: ${unknown}`, unknown);
  }),
  rule('speak-input', `no input, or more than ${MAX_CHARACTERS} characters of it`, ({ body: { input } }) =>
    typeof input === 'string' && input !== '' && input.length <= MAX_CHARACTERS
      ? undefined
      : wrong(`[{'type': 'string_too_long', 'loc': ('body', 'input')}]`, 'input'),
  ),
  rule('speak-voice', 'no voice', ({ body: { voice } }) =>
    voice === undefined ? wrong(`[{'type': 'missing', 'loc': ('body', 'voice')}]`, 'voice') : undefined,
  ),
  rule('speak-format', 'a format that there is not', ({ body }) =>
    Object.hasOwn(TYPES, String(body['response_format'] ?? 'mp3'))
      ? undefined
      : wrong(`[{'type': 'enum', 'loc': ('body', 'response_format')}]`, 'response_format'),
  ),
  rule('speak-events', 'events of a model that has none', ({ body, profile }) =>
    body['stream_format'] === 'sse' && profile.bills === 'characters'
      ? wrong('stream_format sse is not supported for this model', 'stream_format')
      : undefined,
  ),
];

/** What is said of a character. */
const BYTES = 64;

/** OpenAI's `/v1/audio/speech`: a piece of sound for each word. */
export const speak: TaskDoor = {
  refuse: refuseBy({ rules: SPEECH_RULES, profiles: PROFILES, unknown: UNKNOWN }),
  error: openaiError,
  credential: bearer,
  read: (body) => ({ model: String(body['model']), inputs: [String(body['input'])] }),
  answer({ model }, body, script) {
    const input = String(body['input']);
    const said = withoutScript(input);
    const pieces = said.split(' ').map((word) => Buffer.alloc(BYTES * (word.length + 1), word || ' '));
    const read = countWords(said);
    const output = Math.ceil(said.length * 1.4);
    const usage = { input_tokens: read, output_tokens: output, total_tokens: read + output };
    const events: StreamEvent[] = [
      ...pieces.map((piece) => ({ data: { type: 'speech.audio.delta', audio: piece.toString('base64') } })),
      { data: { type: 'speech.audio.done', ...(script.no_usage ? {} : { usage }) } },
    ];
    const byCharacter = /tts-1/.test(model);
    const billed: Billed = {
      model,
      tier: 'standard',
      region: undefined,
      tokens: byCharacter ? {} : { input: read, audio_output: output },
      tools: byCharacter ? { character: Array.from(input).length } : {},
    };
    const isEvents = body['stream_format'] === 'sse';
    return {
      body: undefined,
      ...(isEvents
        ? { events }
        : { bytes: { type: TYPES[String(body['response_format'] ?? 'mp3')] ?? '', pieces } }),
      billed: [billed],
      tokens: read,
      output,
    };
  },
};
