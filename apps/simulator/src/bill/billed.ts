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

/** Cached and written tokens, sound and pictures are parts of OpenAI's input. */
export const billChat = (answer: Answer): Billed[] => {
  const { input, cacheRead, cacheWrite, audioIn, imageIn, output, audioOut } = answer.spent;
  const { searches, searchWords } = answer.extras;
  const tokens = {
    input: input - cacheRead - cacheWrite - audioIn - imageIn,
    cached_input: cacheRead,
    cache_write: cacheWrite,
    audio_input: audioIn,
    image_input: imageIn,
    output: output - audioOut,
    audio_output: audioOut,
  };
  // OpenAI's models that always search cost a search for each request.
  return bill(answer, tokens, { search: searchWords === 'citations' ? Math.min(1, searches) : searches });
};

/** Searches are charged, pages that are opened are not; a container is charged once, however much runs in it. */
export const billResponses = (answer: Answer): Billed[] => {
  const { input, cacheRead, cacheWrite, output } = answer.spent;
  const { searches, fileSearches, containers, drawing } = answer.extras;
  const tokens = {
    input: input - cacheRead - cacheWrite,
    cached_input: cacheRead,
    cache_write: cacheWrite,
    output,
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
export const billMessages = (answer: Answer): Billed[] => {
  const { input, cacheRead, cacheWrite, cacheWrite1h, output } = answer.spent;
  const { searches, fetches, containers } = answer.extras;
  const tokens = {
    input: input - cacheRead - cacheWrite - cacheWrite1h,
    cached_input: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
    output,
  };
  return bill(answer, tokens, { search: searches, fetch: fetches, container: Math.min(1, containers) });
};

/** Up to Gemini 2 a grounded prompt is charged, and every query from then on. */
export const billGemini = (answer: Answer): Billed[] => {
  const { input, cacheRead, audioIn, imageIn, output } = answer.spent;
  const perPrompt = /^gemini-[12]\b/.test(answer.model);
  const { searches } = answer.extras;
  const tokens = {
    input: input - cacheRead - audioIn - imageIn,
    cached_input: cacheRead,
    audio_input: audioIn,
    image_input: imageIn,
    output,
  };
  return bill(answer, tokens, { search: perPrompt ? Math.min(1, searches) : searches });
};

const bill = ({ model, extras }: Answer, tokens: Tokens, tools: Tools): Billed[] => [
  { model, tier: extras.tier ?? 'standard', region: extras.region, tokens, tools },
];
