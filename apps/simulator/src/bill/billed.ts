import type { Answer } from '../answer.ts';
import type { Drawing, Tier } from '../extras.ts';

/** What vendors have prices for, in the words of their price pages. */
export const TOKEN_KINDS = [
  'input',
  'cached_input',
  'cache_write',
  'cache_write_1h',
  'audio_input',
  'cached_audio_input',
  'image_input',
  'cached_image_input',
  'output',
  'reasoning_output',
  'audio_output',
  'image_output',
] as const;
export const TOOL_KINDS = [
  'search',
  'fetch',
  'file_search',
  'container',
  'rerank',
  'image',
  'audio_millisecond',
  'character',
] as const;
type Tokens = Partial<Record<(typeof TOKEN_KINDS)[number], number>>;
type Tools = Partial<Record<(typeof TOOL_KINDS)[number], number>>;

/** What one model did for a request. */
export interface Billed {
  readonly model: string;
  readonly tier: Tier;
  readonly region: string | undefined;
  readonly tokens: Tokens;
  readonly tools: Tools;
}

/** Cached and written tokens, sound and pictures are parts of OpenAI's input; reasoning is a part of its output. */
export const billChat = (answer: Answer): Billed[] => {
  const { input, cacheRead, cacheWrite, audioIn, imageIn } = answer.spent;
  const { searches, searchWords } = answer.extras;
  const tokens = {
    input: input - cacheRead - cacheWrite - audioIn - imageIn,
    cached_input: cacheRead,
    cache_write: cacheWrite,
    audio_input: audioIn,
    image_input: imageIn,
    ...written(answer),
  };
  // OpenAI's models that always search cost a search for each request.
  return bill(answer, tokens, { search: searchWords === 'citations' ? Math.min(1, searches) : searches });
};

const written = ({ spent: { output, reasoning, audioOut, imageOut } }: Answer): Tokens => ({
  output: output - reasoning - audioOut - imageOut,
  reasoning_output: reasoning,
  audio_output: audioOut,
  image_output: imageOut,
});

/** Searches are charged, pages that are opened are not; a container is charged once, however much runs in it. */
export const billResponses = (answer: Answer): Billed[] => {
  const { input, cacheRead, cacheWrite, cacheWrite1h } = answer.spent;
  const { searches, fileSearches, containers, drawing } = answer.extras;
  const tokens = {
    input: input - cacheRead - cacheWrite - cacheWrite1h,
    cached_input: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
    ...written(answer),
  };
  return [
    ...bill(answer, tokens, { search: searches, file_search: fileSearches, container: containers }),
    ...(drawing ? [billDrawing(drawing)] : []),
  ];
};

/** The model that draws has prices of its own, whatever tier the answer is served in. */
const billDrawing = (drawing: Drawing): Billed => ({
  model: drawing.model,
  tier: 'standard',
  region: undefined,
  tokens: {
    input: drawing.inputText - drawing.cachedText,
    image_input: drawing.inputImage - drawing.cachedImage,
    cached_input: drawing.cachedText,
    cached_image_input: drawing.cachedImage,
    output: drawing.outputText,
    image_output: drawing.outputImage,
  },
  tools: {},
});

/** The code of a request runs in one container. */
export const billMessages = (answer: Answer): Billed[] => billClaude(answer, written(answer));

/** Bedrock's Converse counts what was thought with what was said. */
export const billConverse = (answer: Answer): Billed[] => billClaude(answer, { output: answer.spent.output });

const billClaude = (answer: Answer, output: Tokens): Billed[] => {
  const { input, cacheRead, cacheWrite, cacheWrite1h } = answer.spent;
  const { searches, fetches, containers } = answer.extras;
  const tokens = {
    input: input - cacheRead - cacheWrite - cacheWrite1h,
    cached_input: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
    ...output,
  };
  return bill(answer, tokens, { search: searches, fetch: fetches, container: Math.min(1, containers) });
};

/** Sound and pictures that were cached have prices of their own. Up to Gemini 2 a grounded prompt is charged, and every query from then on. */
export const billGemini = (answer: Answer): Billed[] => {
  const { input, cacheRead, audioIn, imageIn, cachedAudio, cachedImage } = answer.spent;
  const perPrompt = /^gemini-[12]\b/.test(answer.model);
  const { searches } = answer.extras;
  const tokens = {
    input: input - cacheRead - (audioIn - cachedAudio) - (imageIn - cachedImage),
    cached_input: cacheRead - cachedAudio - cachedImage,
    cached_audio_input: cachedAudio,
    cached_image_input: cachedImage,
    audio_input: audioIn - cachedAudio,
    image_input: imageIn - cachedImage,
    ...written(answer),
  };
  return bill(answer, tokens, { search: perPrompt ? Math.min(1, searches) : searches });
};

const bill = ({ model, extras }: Answer, tokens: Tokens, tools: Tools): Billed[] => [
  { model, tier: extras.tier ?? 'standard', region: extras.region, tokens, tools },
];
