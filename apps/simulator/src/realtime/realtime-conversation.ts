import { countWords } from '../answer.ts';
import { isObject, type Json } from '../question.ts';
import type { Script } from '../script.ts';

/** A token is 100 ms of what a user says, and 50 ms of what the model does. */
const BYTES_PER_MS = 48;
const HEARD_MS_PER_TOKEN = 100;
export const SPOKEN_TOKENS_PER_WORD = 2;
const TOKENS_PER_IMAGE = 85;
/** So long is a word of a model. */
export const SPOKEN_WORD = Buffer.alloc(100 * BYTES_PER_MS).toString('base64');

export const toMs = (base64: string): number =>
  Math.floor(Buffer.byteLength(base64, 'base64') / BYTES_PER_MS);
export const toTokens = (ms: number): number => Math.ceil(ms / HEARD_MS_PER_TOKEN);

/** Tokens of each modality. */
export interface Spent {
  readonly text: number;
  readonly audio: number;
  readonly image: number;
}

export const NOTHING: Spent = { text: 0, audio: 0, image: 0 };
export const plus = (a: Spent, b: Spent): Spent => ({
  text: a.text + b.text,
  audio: a.audio + b.audio,
  image: a.image + b.image,
});
const least = (a: Spent, b: Spent): Spent => ({
  text: Math.min(a.text, b.text),
  audio: Math.min(a.audio, b.audio),
  image: Math.min(a.image, b.image),
});

/** An item of a conversation, with what it counts. */
export interface Item {
  readonly id: string;
  readonly json: Json;
  readonly spent: Spent;
  /** What its user says or its tool answers. */
  readonly said: string | undefined;
  readonly isResult: boolean;
}

/** What a client puts into a conversation. */
export function readItem(json: Json, id: string): Item {
  const content = Array.isArray(json['content']) ? (json['content'] as unknown[]).filter(isObject) : [];
  let spent = NOTHING;
  const texts: string[] = [];
  for (const part of content) {
    if (typeof part['text'] === 'string') texts.push(part['text']);
    if (typeof part['audio'] === 'string') {
      const ms = toMs(part['audio']);
      spent = plus(spent, { ...NOTHING, audio: toTokens(ms) });
      texts.push(`${ms} ms of sound`);
    }
    if (part['type'] === 'input_image') spent = plus(spent, { ...NOTHING, image: TOKENS_PER_IMAGE });
  }
  const isResult = json['type'] === 'function_call_output';
  if (isResult) texts.push(String(json['output']));
  const written = content.some((part) => typeof part['text'] === 'string') || isResult ? texts.join(' ') : '';
  return {
    id,
    json: { ...json, id, object: 'realtime.item', status: 'completed' },
    spent: plus(spent, { ...NOTHING, text: countWords(written) }),
    said: json['role'] === 'user' || isResult ? texts.join(' ') : undefined,
    isResult,
  };
}

/** Usage of one response: whatever the one before it has read and written already is cached. */
export function toUsage(input: Spent, cachedBefore: Spent, output: Spent): Json {
  const cached = least(input, cachedBefore);
  const sum = ({ text, audio, image }: Spent) => text + audio + image;
  const details = ({ text, audio }: Spent) => ({ text_tokens: text, audio_tokens: audio });
  const withImages = (spent: Spent) => ({ ...details(spent), image_tokens: spent.image });
  return {
    total_tokens: sum(input) + sum(output),
    input_tokens: sum(input),
    output_tokens: sum(output),
    input_token_details: {
      ...withImages(input),
      cached_tokens: sum(cached),
      cached_tokens_details: withImages(cached),
    },
    output_token_details: details(output),
  };
}

/** What OpenAI bills of it. */
export function toBilled(usage: Json, model: string) {
  const input = usage['input_token_details'] as Record<string, number>;
  const cached = (usage['input_token_details'] as Json)['cached_tokens_details'] as Record<string, number>;
  const output = usage['output_token_details'] as Record<string, number>;
  return [
    {
      model,
      tier: 'standard',
      region: undefined,
      tokens: {
        input: (input['text_tokens'] ?? 0) - (cached['text_tokens'] ?? 0),
        cached_input: cached['text_tokens'] ?? 0,
        audio_input: (input['audio_tokens'] ?? 0) - (cached['audio_tokens'] ?? 0),
        cached_audio_input: cached['audio_tokens'] ?? 0,
        image_input: (input['image_tokens'] ?? 0) - (cached['image_tokens'] ?? 0),
        cached_image_input: cached['image_tokens'] ?? 0,
        output: output['text_tokens'] ?? 0,
        audio_output: output['audio_tokens'] ?? 0,
      },
      tools: {},
    },
  ] as const;
}

/** What the model says. */
export const listWords = (said: string, isResult: boolean, script: Script): string[] =>
  script.words === undefined
    ? `${isResult ? 'The tool says:' : 'Echo:'} ${said}`.split(' ')
    : Array.from({ length: script.words }, (_, index) => `word${index}`);

/** Usage as a script says it. */
export const reportedBy = ({ input = 0, output = 0 }: NonNullable<Script['usage']>): Json => ({
  total_tokens: input + output,
  input_tokens: input,
  output_tokens: output,
});

/** What an item of a response has whatever it is. */
interface ItemBase {
  readonly id: string;
  readonly status: string;
}

export const renderCall = ({ id, status }: ItemBase, tool: Json, given: string | undefined): Json => ({
  id,
  object: 'realtime.item',
  type: 'function_call',
  status,
  call_id: 'call_sim',
  name: tool['name'],
  arguments: given,
});

export const renderMessage = ({ id, status }: ItemBase, written: string, speaks: boolean): Json => ({
  id,
  object: 'realtime.item',
  type: 'message',
  status,
  role: 'assistant',
  content: [speaks ? { type: 'output_audio', transcript: written } : { type: 'output_text', text: written }],
});
