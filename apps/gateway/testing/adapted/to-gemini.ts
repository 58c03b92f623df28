import { reasoningState } from '@tollgate/simulator';
import {
  type Adapted,
  chat,
  chatCall,
  chatResult,
  chatTool,
  type Excused,
  messages,
  result,
  says,
  shows,
  use,
} from './adapted.ts';

const thought = {
  type: 'thinking',
  thinking: 'Hm',
  signature: reasoningState('1', { vendor: 'anthropic' }),
};
const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });

export const ADAPTED_TO_GEMINI: readonly Adapted[] = [
  {
    rule: 'unknown-name',
    from: chat,
    asks: { metadata: { a: 'b' }, logit_bias: { 1: 1 } },
    by: 'conversion',
  },
  { rule: 'function-names', from: chat, asks: chatTool({ name: '1st' }), by: 'conversion' },
  {
    rule: 'functions-with-json',
    from: chat,
    asks: { ...chatTool(), response_format: { type: 'json_object' } },
    model: 'gemini-2.5-flash',
    by: 'dialect',
  },
  { rule: 'image-types', from: chat, asks: shows('image/jpg'), by: 'conversion' },
  {
    rule: 'stops',
    from: messages,
    asks: { stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] },
    by: 'dialect',
  },
  {
    rule: 'allowed-names',
    from: chat,
    asks: {
      ...chatTool(),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
    },
    by: 'conversion',
  },
  {
    rule: 'penalties',
    from: chat,
    asks: { presence_penalty: 0.5 },
    model: 'gemini-2.5-flash',
    by: 'dialect',
    unlike: { reasoning: 'budget' },
  },
  {
    rule: 'thinking-none',
    from: chat,
    asks: { reasoning_effort: 'low' },
    model: 'gemini-2.0-flash',
    by: 'dialect',
  },
  {
    rule: 'thinking-both',
    from: messages,
    asks: { max_tokens: 9_000, ...budget(2_048), output_config: { effort: 'low' } },
    model: 'gemini-3-flash-preview',
    by: 'conversion',
  },
  {
    rule: 'thinking-level',
    from: chat,
    asks: { reasoning_effort: 'high' },
    model: 'gemini-2.5-flash',
    by: 'dialect',
  },
  {
    rule: 'thinking-budget',
    from: messages,
    asks: { max_tokens: 64_000, ...budget(32_768) },
    model: 'gemini-2.5-flash',
    by: 'dialect',
  },
  {
    rule: 'thinking-budget',
    from: messages,
    asks: { thinking: { type: 'disabled' } },
    model: 'gemini-2.5-pro',
    by: 'dialect',
  },
  {
    rule: 'roles',
    from: chat,
    asks: says({ role: 'assistant', content: 'Hi' }, { role: 'user', content: 'And?' }),
    by: 'conversion',
  },
  {
    rule: 'empty-parts',
    from: chat,
    asks: says({ role: 'assistant', content: '' }, { role: 'user', content: 'And?' }),
    by: 'conversion',
  },
  {
    rule: 'call-turns',
    from: chat,
    asks: { messages: [chatCall('t1'), chatResult('t1')] },
    by: 'conversion',
  },
  { rule: 'result-turns', from: chat, asks: says(chatResult('t1')), by: 'conversion' },
  {
    rule: 'results-counted',
    from: messages,
    asks: says(use('t1'), { role: 'user', content: 'Stop.' }),
    by: 'conversion',
  },
  {
    rule: 'model-last',
    from: chat,
    asks: says({ role: 'assistant', content: 'It is' }),
    model: 'gemini-3.6-flash',
    by: 'dialect',
  },
  {
    rule: 'signature-foreign',
    from: messages,
    asks: says(use('t1', thought), result('t1')),
    by: 'conversion',
  },
  {
    rule: 'signature-missing',
    from: chat,
    asks: says(chatCall('t1'), chatResult('t1')),
    model: 'gemini-3-flash-preview',
    by: 'conversion',
  },
];

export const EXCUSED_TO_GEMINI: readonly Excused[] = [
  {
    rule: 'two-schemas',
    because: 'A conversion writes `parametersJsonSchema` and `responseJsonSchema` alone.',
  },
  {
    rule: 'temperature-range',
    because: 'OpenAI takes none above 2 either, and Anthropic none above 1.',
    passedOn: { from: chat, asks: { temperature: 2.1 } },
  },
];
