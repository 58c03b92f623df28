import { reasoningState } from '@tollgate/simulator';
import {
  type Adapted,
  chat,
  chatTool,
  CLAUDE_CODE_USER,
  config,
  EITHER,
  type Excused,
  gemini,
  geminiCall,
  geminiTool,
  LONG_ID,
  messages,
  OPEN_SCHEMA,
  result,
  says,
  use,
} from './adapted.ts';

const thought = {
  type: 'thinking',
  thinking: 'Hm',
  signature: reasoningState('1', { vendor: 'anthropic' }),
};
const thoughtful = says(
  { role: 'assistant', content: [thought, { type: 'text', text: 'Hi' }] },
  {
    role: 'user',
    content: 'And?',
  },
);

export const ADAPTED_TO_RESPONSES: readonly Adapted[] = [
  { rule: 'moved-parameter', from: chat, asks: { max_tokens: 100 }, by: 'conversion' },
  { rule: 'unknown-parameter', from: chat, asks: { seed: 1, n: 1 }, by: 'conversion' },
  {
    rule: 'unknown-kind',
    from: chat,
    asks: says(
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'user', content: 'And?' },
    ),
    by: 'conversion',
  },
  { rule: 'lengths', from: messages, asks: CLAUDE_CODE_USER, model: 'gpt-5.5', by: 'dialect' },
  { rule: 'least-output', from: messages, asks: { max_tokens: 1 }, model: 'gpt-5.5', by: 'dialect' },
  {
    rule: 'most-output',
    from: messages,
    asks: { max_tokens: 64_000 },
    model: 'gpt-4o',
    by: 'dialect',
    unlike: { encrypted_reasoning: false },
  },
  { rule: 'encrypted-content', from: messages, asks: {}, model: 'gpt-4o', by: 'dialect' },
  {
    rule: 'effort',
    from: messages,
    asks: { output_config: { effort: 'max' } },
    model: 'gpt-5',
    by: 'dialect',
  },
  { rule: 'sampling', from: messages, asks: { temperature: 0.7 }, model: 'gpt-5', by: 'dialect' },
  { rule: 'tool-names', from: gemini, asks: geminiTool('a.b'), by: 'conversion' },
  {
    rule: 'tool-schemas',
    from: chat,
    asks: chatTool({ strict: true, parameters: OPEN_SCHEMA }),
    by: 'dialect',
  },
  { rule: 'tool-schemas', from: chat, asks: chatTool({ parameters: EITHER }), by: 'dialect' },
  {
    rule: 'answer-schema',
    from: chat,
    asks: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', strict: true, schema: OPEN_SCHEMA },
      },
    },
    by: 'dialect',
  },
  {
    rule: 'json-word',
    from: gemini,
    asks: config({ responseMimeType: 'application/json' }),
    by: 'dialect',
  },
  { rule: 'call-ids', from: messages, asks: says(use(LONG_ID), result(LONG_ID)), by: 'dialect' },
  { rule: 'item-ids', from: messages, asks: thoughtful, by: 'conversion' },
  { rule: 'called-names', from: gemini, asks: geminiCall, by: 'conversion' },
  { rule: 'encrypted-state', from: messages, asks: thoughtful, by: 'conversion' },
  {
    rule: 'calls-answered',
    from: messages,
    asks: says(use('t1'), { role: 'user', content: 'Stop.' }),
    by: 'conversion',
  },
  { rule: 'outputs-called', from: messages, asks: says(result('t1')), by: 'conversion' },
];

export const EXCUSED_TO_RESPONSES: readonly Excused[] = [
  {
    rule: 'background-stored',
    because:
      'No other format has work that goes on after its answer, and in this one the gateway refuses it first.',
  },
];
