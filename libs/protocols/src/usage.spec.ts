import { type Protocol, PROTOCOLS, type TokenCounts } from '@tollgate/vocabulary';
import { CODECS, type RawUsage } from './index.ts';

type Row = [what: string, usage: RawUsage, tokens: TokenCounts];

const nothing: Row[] = [
  ['nothing reported', {}, {}],
  ['counts that are no whole numbers', { prompt_tokens: '5', input_tokens: 1.5, promptTokenCount: -3 }, {}],
];

const chat: Row[] = [
  [
    'input and output',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    { input: 10, output: 5 },
  ],
  [
    'details of null',
    { prompt_tokens: 10, prompt_tokens_details: null, completion_tokens_details: null },
    { input: 10 },
  ],
  [
    'cached input',
    { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4 } },
    { input: 6, cache_read: 4 },
  ],
  [
    'cached input of DeepSeek',
    { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 7, prompt_cache_miss_tokens: 3 },
    { input: 3, cache_read: 7, output: 2 },
  ],
  [
    'cached input of Moonshot',
    { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cached_tokens: 7 },
    { input: 3, cache_read: 7, output: 2 },
  ],
  [
    'reasoning of xAI, which stands beside the completion',
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    { input: 32, output: 9, output_reasoning: 94 },
  ],
  [
    'reasoning that is all of the completion',
    {
      prompt_tokens: 32,
      completion_tokens: 94,
      total_tokens: 126,
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    { input: 32, output_reasoning: 94 },
  ],
  [
    'cached input told in both ways',
    { prompt_tokens: 10, prompt_cache_hit_tokens: 4, prompt_tokens_details: { cached_tokens: 4 } },
    { input: 6, cache_read: 4 },
  ],
  [
    'a cache write beside a cache read',
    { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
    { input: 3, cache_read: 4, cache_write: 3 },
  ],
  [
    'audio and images',
    {
      prompt_tokens: 20,
      completion_tokens: 30,
      prompt_tokens_details: { audio_tokens: 6, image_tokens: 5, text_tokens: 9 },
      completion_tokens_details: { audio_tokens: 11, image_tokens: 4, reasoning_tokens: 8 },
    },
    {
      input: 9,
      input_audio: 6,
      input_image: 5,
      output: 7,
      output_audio: 11,
      output_image: 4,
      output_reasoning: 8,
    },
  ],
  [
    'predictions, which are output as any other',
    {
      completion_tokens: 9,
      completion_tokens_details: { accepted_prediction_tokens: 4, rejected_prediction_tokens: 2 },
    },
    { output: 9 },
  ],
  [
    'details that exceed their totals',
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 8, audio_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    { cache_read: 8, input_audio: 2, output_reasoning: 5 },
  ],
];

const responses: Row[] = [
  ['input and output', { input_tokens: 10, output_tokens: 5, total_tokens: 15 }, { input: 10, output: 5 }],
  [
    'cached input and reasoning',
    {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 5 },
    },
    { input: 6, cache_read: 4, output_reasoning: 5 },
  ],
  [
    'cache writes of two lifetimes',
    {
      input_tokens: 100,
      input_tokens_details: {
        cached_tokens: 10,
        cache_write_tokens: 50,
        cache_write_tokens_details: { ttl_30m_tokens: 30, ttl_12h_tokens: 20 },
      },
    },
    { input: 40, cache_read: 10, cache_write: 30, cache_write_1h: 20 },
  ],
  [
    'cache writes whose lifetime is not told',
    { input_tokens: 100, input_tokens_details: { cache_write_tokens: 50 } },
    { input: 50, cache_write: 50 },
  ],
  [
    'details that exceed their totals',
    { input_tokens: 5, input_tokens_details: { cached_tokens: 9, cache_write_tokens: 9 }, output_tokens: 1 },
    { cache_read: 5, output: 1 },
  ],
];

const anthropic: Row[] = [
  ['input and output', { input_tokens: 10, output_tokens: 5 }, { input: 10, output: 5 }],
  [
    'counts of null',
    { input_tokens: 10, cache_read_input_tokens: null, cache_creation: null },
    { input: 10 },
  ],
  [
    'a cache, which stands beside the input',
    { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 50, output_tokens: 5 },
    { input: 3, cache_read: 100, cache_write: 50, output: 5 },
  ],
  [
    'cache writes for 5 minutes and for an hour',
    {
      cache_creation_input_tokens: 50,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 },
    },
    { cache_write: 30, cache_write_1h: 20 },
  ],
  [
    'cache writes that the split explains in part',
    { cache_creation_input_tokens: 50, cache_creation: { ephemeral_1h_input_tokens: 20 } },
    { cache_write: 30, cache_write_1h: 20 },
  ],
  [
    'a split without its total',
    { cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 } },
    { cache_write: 4, cache_write_1h: 6 },
  ],
  [
    'thinking, which is part of the output',
    { output_tokens: 20, output_tokens_details: { thinking_tokens: 15 } },
    { output: 5, output_reasoning: 15 },
  ],
  [
    'more thinking than output',
    { output_tokens: 20, output_tokens_details: { thinking_tokens: 25 } },
    { output_reasoning: 20 },
  ],
  [
    'iterations, of which compaction and advisors are billed on top',
    {
      input_tokens: 10,
      output_tokens: 5,
      iterations: [
        { type: 'compaction', input_tokens: 100, output_tokens: 30 },
        { type: 'message', input_tokens: 10, output_tokens: 5 },
        { type: 'advisor_message', input_tokens: 7, cache_read_input_tokens: 2, output_tokens: 1 },
        { type: 'fallback_message', input_tokens: 1_000 },
        null,
      ],
    },
    { input: 117, cache_read: 2, output: 36 },
  ],
];

const gemini: Row[] = [
  [
    'input and output',
    { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    { input: 10, output: 5 },
  ],
  [
    'cached input, which is part of the prompt',
    { promptTokenCount: 10, cachedContentTokenCount: 4, totalTokenCount: 10 },
    { input: 6, cache_read: 4 },
  ],
  [
    'more cached input than prompt',
    { promptTokenCount: 10, cachedContentTokenCount: 40 },
    { cache_read: 10 },
  ],
  [
    'thoughts beside the candidates',
    { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 18 },
    { input: 10, output: 5, output_reasoning: 3 },
  ],
  [
    'thoughts that the candidates include',
    { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 15 },
    { input: 10, output: 2, output_reasoning: 3 },
  ],
  [
    'thoughts without a total',
    { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3 },
    { input: 10, output: 5, output_reasoning: 3 },
  ],
  [
    'only thoughts so far',
    { promptTokenCount: 10, thoughtsTokenCount: 3, totalTokenCount: 13 },
    { input: 10, output_reasoning: 3 },
  ],
  [
    'prompts of tools, which come on top',
    {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 7,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      totalTokenCount: 24,
    },
    { input: 17, output: 5, output_reasoning: 2 },
  ],
  [
    'audio and images, in part cached',
    {
      promptTokenCount: 100,
      cachedContentTokenCount: 30,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 30 },
        { modality: 'AUDIO', tokenCount: 50 },
        { modality: 'IMAGE', tokenCount: 20 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
      candidatesTokenCount: 40,
      candidatesTokensDetails: [
        { modality: 'IMAGE', tokenCount: 25 },
        { modality: 'AUDIO', tokenCount: 5 },
      ],
      totalTokenCount: 140,
    },
    {
      input: 30,
      input_audio: 20,
      input_image: 20,
      cache_read_audio: 30,
      output: 10,
      output_audio: 5,
      output_image: 25,
    },
  ],
  [
    'a cache of text, sound and pictures',
    {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 60 },
        { modality: 'AUDIO', tokenCount: 30 },
        { modality: 'IMAGE', tokenCount: 10 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 25 },
        { modality: 'AUDIO', tokenCount: 25 },
        { modality: 'IMAGE', tokenCount: 10 },
      ],
    },
    { input: 35, input_audio: 5, cache_read: 25, cache_read_audio: 25, cache_read_image: 10 },
  ],
  [
    'details that exceed their totals',
    {
      promptTokenCount: 10,
      promptTokensDetails: [
        { modality: 'AUDIO', tokenCount: 8 },
        { modality: 'IMAGE', tokenCount: 8 },
      ],
      candidatesTokenCount: 4,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 9 }],
    },
    { input_audio: 8, input_image: 2, output_image: 4 },
  ],
];

const converse: Row[] = [
  ['input and output', { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, { input: 10, output: 5 }],
  [
    'cached input, which stands beside the rest',
    { inputTokens: 10, outputTokens: 5, totalTokens: 27, cacheReadInputTokens: 8, cacheWriteInputTokens: 4 },
    { input: 10, cache_read: 8, cache_write: 4, output: 5 },
  ],
  [
    'writes of both lifetimes',
    {
      inputTokens: 1,
      outputTokens: 2,
      cacheWriteInputTokens: 10,
      cacheDetails: [
        { ttl: '5m', inputTokens: 4 },
        { ttl: '1h', inputTokens: 6 },
      ],
    },
    { input: 1, cache_write: 4, cache_write_1h: 6, output: 2 },
  ],
  [
    'writes of the long lifetime in the details alone',
    { outputTokens: 2, cacheDetails: [{ ttl: '1h', inputTokens: 6 }] },
    { cache_write_1h: 6, output: 2 },
  ],
];

const rows: Record<Protocol, Row[]> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': anthropic,
  gemini,
  'bedrock-converse': converse,
};

describe.each(PROTOCOLS)('%s tokens of', (protocol) => {
  test.each([...nothing, ...rows[protocol]])('%s', (_, usage, tokens) => {
    expect(CODECS[protocol].usage.toTokens(usage)).toEqual(tokens);
  });
});
