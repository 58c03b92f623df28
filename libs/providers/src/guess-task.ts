import type { OtherOperation, Task } from '@tollgate/vocabulary';

/** What the names of models say that they are for, where they are for no conversation. What ranks often has the name of what embeds. */
const NAMES: readonly (readonly [RegExp, Task])[] = [
  [/rerank/i, 'rerank'],
  [/embed|(?:^|\/)(?:bge|m3e|gte|e5|multilingual-e5)-/i, 'embed'],
  [/moderation/i, 'moderate'],
  [/whisper|transcribe/i, 'transcribe'],
  [/(?:^|[-/])tts(?:-|$)/i, 'speak'],
  [/^(?:openai\/)?(?:gpt-3\.5-turbo-instruct|babbage-002|davinci-002)/i, 'complete'],
  [
    /gpt-image|chatgpt-image|dall-e|imagen-\d|grok-imagine-image|(?:^|[/-])flux[.-]|stable-diffusion|seedream|cogview/i,
    'draw',
  ],
];

/** Undefined of a name that says nothing, as those of models for conversations do. */
export const guessTask = (name: string): Task | undefined =>
  NAMES.find(([pattern]) => pattern.test(name))?.[1];

/** What models of such names do beside their task, at the same prices. */
const ALSO: readonly (readonly [RegExp, Task])[] = [
  [/whisper/i, 'translate'],
  [/gpt-image/i, 'edit'],
];

/** All that a model is for, by its name; nothing of one that holds conversations. */
export function guessOperations(name: string): OtherOperation[] {
  if (/(?:^|[/-])realtime(?:-|$)/i.test(name)) return ['realtime'];
  const task = guessTask(name);
  return task === undefined
    ? []
    : [task, ...ALSO.flatMap(([named, also]) => (named.test(name) ? [also] : []))];
}

/** Names of models that draw, film, speak or hear, and of others that answer in no conversation. */
const NO_CONVERSATION =
  /(?:^|[/_-])(?:dall-e|gpt-image|chatgpt-image|grok-\d+-image|imagen|imagine|flux|stable-diffusion|sdxl?|sd3|midjourney|mj|cogview|kolors|seedream|seededit|qwen-image|wanx|tts|whisper|transcribe|asr|speech|sora|veo|kling|suno|hailuo|vidu|seedance|cogvideox?|t2v|i2v|realtime)(?:[/_.-]|\d|$)/i;

/** Whether a name says that its model is for no conversation, and for none of the tasks. */
export const isForNothingServed = (name: string): boolean =>
  guessTask(name) === undefined && NO_CONVERSATION.test(name);
