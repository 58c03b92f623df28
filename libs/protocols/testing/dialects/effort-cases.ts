import type { JsonObject } from '../../src/json.ts';
import { type DialectCase, chat, responses, messages, gemini } from './dialect-case.ts';

const FUNCTION: JsonObject = {
  tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] }],
};

/** Efforts that the models of some vendors do not take, or not beside tools. */
export const EFFORTS: readonly DialectCase[] = [
  {
    from: gemini,
    to: chat,
    model: 'gpt-5.5',
    asks: { ...FUNCTION, generationConfig: { temperature: 0.2 } },
    sends: { reasoning_effort: 'none', temperature: 0.2 },
    emulated: ['reasoning_effort'],
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-5.4-mini',
    asks: {
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      output_config: { effort: 'high' },
    },
    sends: { reasoning_effort: 'none' },
    dropped: ['output_config.effort'],
  },
  {
    from: gemini,
    to: chat,
    model: 'gpt-5.4',
    asks: FUNCTION,
    sends: { reasoning_effort: undefined },
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-5.5',
    asks: { output_config: { effort: 'high' } },
    sends: { reasoning_effort: 'high' },
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5.5',
    asks: {
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      output_config: { effort: 'high' },
    },
    sends: { reasoning: { effort: 'high' } },
  },
  {
    from: messages,
    to: chat,
    model: 'mistral-large-2512',
    asks: { output_config: { effort: 'high' } },
    sends: { reasoning_effort: undefined },
    dropped: ['output_config.effort'],
  },
  {
    from: messages,
    to: chat,
    model: 'mistral-medium-3.5',
    asks: { output_config: { effort: 'low' } },
    sends: { reasoning_effort: 'high' },
    emulated: ['output_config.effort'],
  },
  {
    from: messages,
    to: chat,
    model: 'magistral-medium-latest',
    asks: { thinking: { type: 'disabled' } },
    sends: { reasoning_effort: 'none' },
    emulated: ['thinking.type'],
  },
  {
    from: messages,
    to: chat,
    model: 'llama-3.3-70b-versatile',
    asks: { output_config: { effort: 'high' } },
    sends: { reasoning_effort: undefined },
    dropped: ['output_config.effort'],
  },
  ...[
    ['grok-4-1-fast-reasoning', undefined],
    ['grok-3-mini', 'low'],
    ['grok-4.3', 'medium'],
    ['grok-4.20-0309-reasoning', undefined],
    ['grok-4.5', 'medium'],
  ].map(([model = '', effort]): DialectCase => ({
    from: messages,
    to: chat,
    model,
    asks: { output_config: { effort: 'medium' } },
    sends: { reasoning_effort: effort },
    dropped: effort === undefined ? ['output_config.effort'] : [],
    emulated: effort === 'low' ? ['output_config.effort'] : [],
  })),
  {
    from: chat,
    to: responses,
    model: 'grok-code-fast-1',
    asks: { reasoning_effort: 'low' },
    sends: { reasoning: undefined },
    dropped: ['reasoning_effort'],
  },
];
