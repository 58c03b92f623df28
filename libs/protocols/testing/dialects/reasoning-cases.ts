import type { JsonObject } from '../../src/json.ts';
import { type DialectCase, config, chat, responses, messages, gemini } from './dialect-case.ts';

const thinks = (members: JsonObject): JsonObject => config({ thinkingConfig: members });

const budget = (budget_tokens: number): JsonObject => ({
  thinking: { type: 'enabled', budget_tokens, display: 'summarized' },
});

const THINKS = 'generationConfig.thinkingConfig';

export const REASONING: readonly DialectCase[] = [
  {
    from: chat,
    to: messages,
    model: 'claude-haiku-4-5',
    asks: { reasoning_effort: 'low', max_tokens: 9_000 },
    sends: { thinking: { type: 'enabled', budget_tokens: 2_048 }, output_config: undefined },
    emulated: ['reasoning_effort'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-4-5-20250929',
    asks: { reasoning_effort: 'high', max_tokens: 64_000 },
    sends: { thinking: { type: 'enabled', budget_tokens: 16_384 } },
    emulated: ['reasoning_effort'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-3-5-haiku-20241022',
    asks: { reasoning_effort: 'low' },
    sends: { thinking: undefined, output_config: undefined },
    dropped: ['reasoning_effort'],
  },
  {
    from: gemini,
    to: messages,
    model: 'claude-opus-4-8',
    asks: thinks({ thinkingBudget: 8_192, includeThoughts: true }),
    sends: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    emulated: [`${THINKS}.thinkingBudget`],
  },
  {
    from: gemini,
    to: messages,
    model: 'claude-fable-5',
    asks: thinks({ thinkingBudget: 0 }),
    sends: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    emulated: [`${THINKS}.thinkingBudget`],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-opus-4-8',
    asks: { reasoning_effort: 'none' },
    sends: { thinking: { type: 'disabled' } },
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-4-6',
    asks: { reasoning_effort: 'xhigh' },
    sends: { output_config: { effort: 'high' } },
    emulated: ['reasoning_effort'],
  },
  {
    from: gemini,
    to: messages,
    model: 'claude-sonnet-4-5',
    asks: {
      generationConfig: {
        maxOutputTokens: 8_192,
        thinkingConfig: { thinkingBudget: 8_191, includeThoughts: true },
      },
    },
    sends: budget(6_144),
    emulated: [`${THINKS}.thinkingBudget`],
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-2.5-pro',
    asks: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    sends: {
      generationConfig: {
        maxOutputTokens: 20_000,
        thinkingConfig: { thinkingBudget: 32_768, includeThoughts: true },
      },
    },
    emulated: ['output_config.effort'],
  },
  {
    from: responses,
    to: gemini,
    model: 'models/gemini-2.5-flash',
    asks: { reasoning: { effort: 'xhigh' } },
    sends: thinks({ thinkingBudget: 24_576, includeThoughts: true }),
    emulated: ['reasoning.effort'],
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-2.5-flash',
    asks: { thinking: { type: 'adaptive' } },
    sends: {
      generationConfig: {
        maxOutputTokens: 20_000,
        thinkingConfig: { thinkingBudget: -1, includeThoughts: true },
      },
    },
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: { thinking: { type: 'adaptive' } },
    sends: {
      generationConfig: { maxOutputTokens: 20_000, thinkingConfig: { includeThoughts: true } },
    },
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-2.5-pro',
    asks: { reasoning_effort: 'none' },
    sends: thinks({ thinkingBudget: 128, includeThoughts: true }),
    emulated: ['reasoning_effort'],
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-2.0-flash',
    asks: { reasoning_effort: 'low' },
    sends: { generationConfig: undefined },
    dropped: ['reasoning_effort'],
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-3.1-pro-preview',
    asks: { thinking: { type: 'enabled', budget_tokens: 16_000 } },
    sends: {
      generationConfig: {
        maxOutputTokens: 20_000,
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
      },
    },
    emulated: ['thinking.budget_tokens'],
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-3-pro-preview',
    asks: { reasoning_effort: 'medium' },
    sends: thinks({ thinkingLevel: 'LOW', includeThoughts: true }),
    emulated: ['reasoning_effort'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5',
    asks: { thinking: { type: 'disabled' } },
    sends: { reasoning: { effort: 'minimal' } },
    emulated: ['thinking.type'],
  },
  {
    from: chat,
    to: responses,
    model: 'gpt-5.1',
    asks: { reasoning_effort: 'minimal' },
    sends: { reasoning: { effort: 'low' } },
    emulated: ['reasoning_effort'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5.6-sol',
    asks: { output_config: { effort: 'max' } },
    sends: { reasoning: { effort: 'xhigh' } },
    emulated: ['output_config.effort'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-4o',
    asks: { output_config: { effort: 'max' } },
    sends: { reasoning: undefined, include: undefined },
    dropped: ['output_config.effort'],
    emulated: ['max_tokens'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5-chat-latest',
    asks: {},
    sends: { include: undefined },
    emulated: ['max_tokens'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5.5',
    asks: {},
    sends: { include: ['reasoning.encrypted_content'] },
  },
];
