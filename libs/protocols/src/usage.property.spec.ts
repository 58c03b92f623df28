import { PROTOCOLS, type TokenCounts } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { CODECS } from './index.ts';

const sum = (tokens: TokenCounts) => Object.values(tokens).reduce((total, count) => total + count, 0);
const count = fc.nat({ max: 1_000 });
/** What an upstream may send for a count. */
const sent = fc.oneof(count, fc.constantFrom(null, undefined, -5, 0.5, '7', Number.MAX_VALUE));

const openaiDetails = fc.record({
  cached_tokens: sent,
  cache_write_tokens: sent,
  cache_write_tokens_details: fc.record({ ttl_12h_tokens: sent }),
  audio_tokens: sent,
  image_tokens: sent,
  reasoning_tokens: sent,
});
const modalities = fc.array(
  fc.record({ modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE'), tokenCount: sent }),
);
const anthropicUsage = {
  input_tokens: sent,
  cache_read_input_tokens: sent,
  cache_creation_input_tokens: sent,
  cache_creation: fc.record({ ephemeral_5m_input_tokens: sent, ephemeral_1h_input_tokens: sent }),
  output_tokens: sent,
};

const usages = {
  'openai-chat': fc.record({
    prompt_tokens: sent,
    completion_tokens: sent,
    prompt_cache_hit_tokens: sent,
    prompt_tokens_details: openaiDetails,
    completion_tokens_details: openaiDetails,
  }),
  'openai-responses': fc.record({
    input_tokens: sent,
    output_tokens: sent,
    input_tokens_details: openaiDetails,
    output_tokens_details: openaiDetails,
  }),
  'anthropic-messages': fc.record({
    ...anthropicUsage,
    output_tokens_details: fc.record({ thinking_tokens: sent }),
    iterations: fc.array(fc.record({ type: fc.constantFrom('message', 'compaction'), ...anthropicUsage })),
  }),
  gemini: fc.record({
    promptTokenCount: sent,
    cachedContentTokenCount: sent,
    toolUsePromptTokenCount: sent,
    thoughtsTokenCount: sent,
    candidatesTokenCount: sent,
    totalTokenCount: sent,
    promptTokensDetails: modalities,
    cacheTokensDetails: modalities,
    candidatesTokensDetails: modalities,
  }),
  'bedrock-converse': fc.record({
    inputTokens: sent,
    outputTokens: sent,
    cacheReadInputTokens: sent,
    cacheWriteInputTokens: sent,
    cacheDetails: fc.array(fc.record({ ttl: fc.constantFrom('5m', '1h'), inputTokens: sent })),
  }),
};

test.each(PROTOCOLS)('%s: every count is a whole number above zero, whatever was reported', (protocol) => {
  fc.assert(
    fc.property(fc.oneof(usages[protocol], fc.dictionary(fc.string(), fc.jsonValue())), (usage) => {
      for (const tokens of Object.values(CODECS[protocol].usage.toTokens(usage))) {
        expect(Number.isSafeInteger(tokens) && tokens > 0).toBe(true);
      }
    }),
  );
});

test.each([
  ['openai-chat', 'prompt_tokens', 'completion_tokens'],
  ['openai-responses', 'input_tokens', 'output_tokens'],
] as const)('%s: the kinds sum up to what was reported in and out', (protocol, input, output) => {
  fc.assert(
    fc.property(usages[protocol], count, count, (usage, inside, outside) => {
      const tokens = CODECS[protocol].usage.toTokens({ ...usage, [input]: inside, [output]: outside });
      expect(sum(tokens)).toBe(inside + outside);
    }),
  );
});

test('Anthropic: the kinds sum up to input, cache and output', () => {
  fc.assert(
    fc.property(count, count, count, count, count, (input, read, short, long, output) => {
      const tokens = CODECS['anthropic-messages'].usage.toTokens({
        input_tokens: input,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: short + long,
        cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
        output_tokens: output,
      });
      expect(sum(tokens)).toBe(input + read + short + long + output);
    }),
  );
});

test('Gemini: the kinds sum up to the total, thoughts counted in or not', () => {
  fc.assert(
    fc.property(
      count,
      count,
      count,
      count,
      fc.boolean(),
      modalities,
      (prompt, tool, seen, thoughts, within, list) => {
        const candidates = within ? seen + thoughts : seen;
        const total = prompt + tool + seen + thoughts;
        const tokens = CODECS.gemini.usage.toTokens({
          promptTokenCount: prompt,
          toolUsePromptTokenCount: tool,
          candidatesTokenCount: candidates,
          thoughtsTokenCount: thoughts,
          totalTokenCount: total,
          promptTokensDetails: list,
          candidatesTokensDetails: list,
        });
        expect(sum(tokens)).toBe(total);
      },
    ),
  );
});
