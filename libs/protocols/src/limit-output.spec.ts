import type { ClientProtocol } from '@tollgate/vocabulary';
import type { JsonObject } from './json.ts';
import { limitOutput } from './limit-output.ts';

test.each<[protocol: ClientProtocol, body: JsonObject, changes: JsonObject, limited: string[]]>([
  ['anthropic-messages', { max_tokens: 8_192 }, {}, []],
  ['anthropic-messages', { max_tokens: 64_000 }, { max_tokens: 8_192 }, ['max_tokens']],
  [
    'anthropic-messages',
    { max_tokens: 64_000, thinking: { type: 'enabled', budget_tokens: 31_999, display: 'omitted' } },
    { max_tokens: 8_192, thinking: { type: 'enabled', budget_tokens: 6_144, display: 'omitted' } },
    ['max_tokens', 'thinking.budget_tokens'],
  ],
  [
    'anthropic-messages',
    { max_tokens: 64_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    { max_tokens: 8_192 },
    ['max_tokens'],
  ],
  // What the caller states within the limit is the caller's own.
  ['anthropic-messages', { max_tokens: 8_000, thinking: { type: 'enabled', budget_tokens: 7_999 } }, {}, []],
  ['openai-chat', { max_tokens: 9_000 }, { max_tokens: 8_192 }, ['max_tokens']],
  [
    'openai-chat',
    { max_completion_tokens: 9_000, max_tokens: 9_000 },
    { max_completion_tokens: 8_192, max_tokens: 8_192 },
    ['max_completion_tokens', 'max_tokens'],
  ],
  ['openai-responses', { max_output_tokens: 9_000 }, { max_output_tokens: 8_192 }, ['max_output_tokens']],
  ['openai-responses', { max_output_tokens: null, input: 'a' }, {}, []],
  [
    'gemini',
    { generationConfig: { maxOutputTokens: 65_536, topP: 0.5 }, contents: [] },
    { generationConfig: { maxOutputTokens: 8_192, topP: 0.5 } },
    ['generationConfig.maxOutputTokens'],
  ],
])('%s %j on a model of 8,192 tokens', (protocol, body, changes, limited) => {
  expect(limitOutput(protocol, body, 8_192)).toEqual({ changes, limited });
});
