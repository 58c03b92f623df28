import { reasoningState } from '@tollgate/simulator';
import {
  type Adapted,
  CLAUDE_CODE_USER,
  config,
  EITHER,
  type Excused,
  format,
  gemini,
  geminiCall,
  geminiDrawing,
  geminiTool,
  LONG_ID,
  messages,
  messagesTool,
  OPEN_SCHEMA,
  pictureResult,
  responses,
  result,
  says,
  use,
} from './adapted.ts';

const thought = {
  type: 'thinking',
  thinking: 'Hm',
  signature: reasoningState('1', { vendor: 'anthropic' }),
};
const mistral = 'mistral-large-latest';
const lists = { type: 'object', properties: { all: { type: 'array' } } };

const CONTENT: readonly Adapted[] = [
  { rule: 'unknown-argument', from: messages, asks: { top_k: 40 }, by: 'conversion' },
  {
    rule: 'unknown-parameter',
    from: messages,
    asks: messagesTool({ cache_control: { type: 'ephemeral' } }),
    by: 'conversion',
  },
  {
    rule: 'unknown-kind',
    from: messages,
    asks: says({
      role: 'user',
      content: [{ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }],
    }),
    by: 'conversion',
  },
  {
    rule: 'empty-content',
    from: messages,
    asks: says({ role: 'assistant', content: [thought] }, { role: 'user', content: 'And?' }),
    by: 'conversion',
  },
  {
    rule: 'image-url',
    from: responses,
    asks: {
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/b.png' }] }],
    },
    by: 'conversion',
  },
  {
    rule: 'images-of-users',
    from: gemini,
    asks: geminiDrawing,
    by: 'conversion',
  },
  {
    rule: 'images-of-users',
    from: messages,
    asks: says(use('t1'), pictureResult('t1')),
    by: 'conversion',
  },
  {
    rule: 'json-word',
    from: gemini,
    asks: config({ responseMimeType: 'application/json' }),
    model: 'gpt-4o',
    by: 'dialect',
  },
  { rule: 'lengths', from: messages, asks: CLAUDE_CODE_USER, model: 'gpt-5.5', by: 'dialect' },
  { rule: 'lengths', from: responses, asks: { prompt_cache_key: 'k'.repeat(65) }, by: 'dialect' },
  { rule: 'metadata-store', from: responses, asks: { metadata: { a: 'b' } }, by: 'dialect' },
  {
    rule: 'stream-options',
    from: responses,
    asks: { stream_options: { include_obfuscation: false } },
    by: 'conversion',
  },
  { rule: 'tool-names', from: gemini, asks: geminiTool('a.b'), by: 'conversion' },
  { rule: 'empty-tools', from: messages, asks: { tools: [] }, by: 'conversion' },
  { rule: 'tool-options-alone', from: messages, asks: { tool_choice: { type: 'auto' } }, by: 'conversion' },
  { rule: 'tool-schemas', from: messages, asks: messagesTool({ input_schema: lists }), by: 'dialect' },
  {
    rule: 'tool-schemas',
    from: messages,
    asks: messagesTool({ strict: true, input_schema: OPEN_SCHEMA }),
    by: 'dialect',
  },
  { rule: 'tool-schemas', from: messages, asks: messagesTool({ input_schema: EITHER }), by: 'dialect' },
  {
    rule: 'answer-schema',
    from: responses,
    asks: format({ type: 'json_schema', name: 'a', strict: true, schema: OPEN_SCHEMA }),
    by: 'dialect',
  },
];

const SAMPLING: readonly Adapted[] = [
  {
    rule: 'max-tokens-name',
    from: messages,
    asks: {},
    model: 'gpt-5.4',
    by: 'dialect',
    unlike: { limit_field: 'max_tokens' },
  },
  {
    rule: 'least-output',
    from: gemini,
    asks: config({ maxOutputTokens: 0 }),
    by: 'dialect',
    unlike: { min_output_tokens: 0 },
  },
  { rule: 'most-output', from: messages, asks: { max_tokens: 64_000 }, model: 'gpt-4o', by: 'dialect' },
  {
    rule: 'most-output',
    from: messages,
    asks: { max_tokens: 200_000 },
    model: 'gpt-5.5',
    maxOutputTokens: 128_000,
    by: 'dialect',
  },
  {
    rule: 'effort',
    from: messages,
    asks: { output_config: { effort: 'low' } },
    model: 'gpt-4o-mini',
    by: 'dialect',
  },
  {
    rule: 'effort-with-tools',
    from: gemini,
    asks: geminiTool('look'),
    model: 'gpt-5.5',
    by: 'dialect',
  },
  {
    rule: 'effort-with-tools',
    from: messages,
    asks: { ...messagesTool(), output_config: { effort: 'high' } },
    model: 'gpt-5.4',
    by: 'dialect',
  },
  {
    rule: 'effort-of-others',
    from: messages,
    asks: { output_config: { effort: 'high' } },
    model: mistral,
    by: 'dialect',
  },
  {
    rule: 'effort-of-others',
    from: messages,
    asks: { output_config: { effort: 'low' } },
    model: 'mistral-small-2603',
    by: 'dialect',
  },
  {
    rule: 'effort-of-others',
    from: messages,
    asks: { output_config: { effort: 'max' } },
    model: 'grok-4.3',
    by: 'dialect',
  },
  {
    rule: 'parallel-calls',
    from: messages,
    asks: { ...messagesTool(), tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    model: 'o4-mini',
    by: 'dialect',
  },
  { rule: 'sampling', from: messages, asks: { temperature: 0.7 }, model: 'o3', by: 'dialect' },
  {
    rule: 'stop-on-reasoning',
    from: messages,
    asks: { stop_sequences: ['END'] },
    model: 'o4-mini',
    by: 'dialect',
  },
  { rule: 'stops', from: messages, asks: { stop_sequences: [...'abcde'] }, by: 'dialect' },
];

const CALLS: readonly Adapted[] = [
  { rule: 'call-ids', from: messages, asks: says(use(LONG_ID), result(LONG_ID)), by: 'dialect' },
  { rule: 'called-names', from: gemini, asks: geminiCall, by: 'conversion' },
  {
    rule: 'calls-answered',
    from: messages,
    asks: says(use('t1'), { role: 'user', content: 'Stop.' }),
    by: 'conversion',
  },
  { rule: 'results-called', from: messages, asks: says(result('t1')), by: 'conversion' },
];

const VENDORS: readonly Adapted[] = [
  { rule: 'mistral-extra', from: messages, asks: {}, model: mistral, by: 'dialect' },
  {
    rule: 'mistral-extra',
    from: responses,
    asks: {
      input: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
        { role: 'user', content: 'Why?' },
      ],
    },
    model: mistral,
    by: 'dialect',
  },
  {
    rule: 'mistral-call-ids',
    from: messages,
    asks: says(use(LONG_ID), result(LONG_ID)),
    model: mistral,
    by: 'dialect',
    unlike: { limit_field: 'max_tokens' },
  },
  {
    rule: 'mistral-order',
    from: messages,
    asks: says(use('abcDEF123'), result('abcDEF123', { type: 'text', text: 'And?' })),
    model: mistral,
    by: 'dialect',
    unlike: { limit_field: 'max_tokens' },
  },
  {
    rule: 'mistral-results',
    from: messages,
    asks: says(use('t1'), { role: 'user', content: 'Stop.' }),
    model: mistral,
    by: 'conversion',
  },
  {
    rule: 'deepseek-roles',
    from: responses,
    asks: {
      input: [
        { role: 'user', content: 'Hello.' },
        { role: 'developer', content: 'Be brief.' },
      ],
    },
    model: 'deepseek-chat',
    by: 'conversion',
  },
  {
    rule: 'deepseek-schema',
    from: responses,
    asks: format({ type: 'json_schema', name: 'a', schema: OPEN_SCHEMA }),
    model: 'deepseek-v4',
    by: 'dialect',
  },
  {
    rule: 'deepseek-reasoning',
    from: messages,
    asks: says(use('t1'), result('t1')),
    model: 'deepseek-v4-pro',
    by: 'dialect',
  },
  {
    rule: 'moonshot-reasoning',
    from: messages,
    asks: says(use('t1'), result('t1')),
    model: 'kimi-k2.6',
    by: 'dialect',
  },
  {
    rule: 'deepseek-custom',
    from: responses,
    asks: { tools: [{ type: 'custom', name: 'apply_patch' }] },
    model: 'deepseek-v4-pro',
    by: 'dialect',
  },
];

export const ADAPTED_TO_CHAT: readonly Adapted[] = [...CONTENT, ...SAMPLING, ...CALLS, ...VENDORS];

export const EXCUSED_TO_CHAT: readonly Excused[] = [
  {
    rule: 'both-limits',
    because:
      'No other format has two limits, and a conversion writes one; a Chat client says both at its own risk.',
  },
  {
    rule: 'deepseek-user',
    because: 'The member is the vendor’s own in Chat: a conversion writes `user`, and never `user_id`.',
  },
];
