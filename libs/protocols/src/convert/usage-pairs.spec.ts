import {
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  type ClientProtocol,
  CLIENT_PROTOCOLS,
  sumTokens,
  type TokenCounts,
  type TokenKind,
} from '@tollgate/vocabulary';
import fc from 'fast-check';
import { countAt, objectAt } from '../json.ts';
import { CODECS } from '../registry.ts';

const count = fc.nat({ max: 100_000 });
const KINDS: readonly TokenKind[] = [
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_read_audio',
  'cache_read_image',
  'cache_write',
  'cache_write_1h',
  'output',
  'output_reasoning',
  'output_audio',
  'output_image',
];
const anyTokens: fc.Arbitrary<TokenCounts> = fc.record(
  Object.fromEntries(KINDS.map((kind) => [kind, count])) as Record<TokenKind, typeof count>,
  { requiredKeys: [] },
);

/** What somebody counts who reads the usage of a format. */
const reread = (protocol: ClientProtocol, tokens: TokenCounts): TokenCounts =>
  CODECS[protocol].usage.toTokens(CODECS[protocol].conversion.encodeUsage(tokens));

const totals = (tokens: TokenCounts) => [
  sumTokens(tokens, INPUT_TOKEN_KINDS),
  sumTokens(tokens, OUTPUT_TOKEN_KINDS),
];

const pairs = CLIENT_PROTOCOLS.flatMap((to) =>
  CLIENT_PROTOCOLS.flatMap((from) => (from === to ? [] : [[to, from] as const])),
);

describe.each(pairs)('usage of %s told to %s', (to, from) => {
  test('counts no token twice and loses none', () => {
    fc.assert(
      fc.property(anyTokens, (tokens) => {
        const upstream = reread(to, tokens);
        const client = reread(from, upstream);
        expect(totals(upstream)).toEqual(totals(tokens));
        expect(totals(client)).toEqual(totals(tokens));
      }),
    );
  });

  test('keeps the tokens read from a cache and those of reasoning apart', () => {
    fc.assert(
      fc.property(anyTokens, (tokens) => {
        const client = reread(from, reread(to, tokens));
        expect(sumTokens(client, CACHED_TOKEN_KINDS)).toBe(sumTokens(tokens, CACHED_TOKEN_KINDS));
        expect(client.output_reasoning ?? 0).toBe(tokens.output_reasoning ?? 0);
      }),
    );
  });
});

const ALL: TokenCounts = {
  input: 50,
  input_audio: 7,
  input_image: 3,
  cache_read: 30,
  cache_write: 15,
  cache_write_1h: 5,
  output: 38,
  output_reasoning: 12,
  output_audio: 4,
};

test.each([
  [
    'openai-chat',
    {
      prompt_tokens: 110,
      completion_tokens: 54,
      total_tokens: 164,
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 7, image_tokens: 3, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 4 },
    },
  ],
  [
    'openai-responses',
    {
      input_tokens: 110,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
      output_tokens: 54,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 164,
    },
  ],
  [
    'anthropic-messages',
    {
      input_tokens: 60,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 5 },
      output_tokens: 54,
      output_tokens_details: { thinking_tokens: 12 },
    },
  ],
  [
    'gemini',
    {
      promptTokenCount: 110,
      cachedContentTokenCount: 30,
      candidatesTokenCount: 42,
      thoughtsTokenCount: 12,
      totalTokenCount: 164,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 100 },
        { modality: 'AUDIO', tokenCount: 7 },
        { modality: 'IMAGE', tokenCount: 3 },
      ],
    },
  ],
] as const)('a usage of every kind is told to %s in its own words', (protocol, usage) => {
  expect(CODECS[protocol].conversion.encodeUsage(ALL)).toEqual(usage);
});

test.each([
  ['openai-chat', 'cache_write_tokens', 'prompt_tokens_details'],
  ['openai-responses', 'cache_write_tokens', 'input_tokens_details'],
] as const)('%s tells cache writes of both lifetimes as one', (protocol, field, details) => {
  const usage = CODECS[protocol].conversion.encodeUsage({ cache_write: 4, cache_write_1h: 3 });
  expect(countAt(objectAt(usage, details), field)).toBe(7);
});
