import { reasoningState } from '@tollgate/simulator';
import {
  type Adapted,
  chat,
  chatCall,
  chatResult,
  chatTool,
  config,
  EITHER,
  type Excused,
  gemini,
  geminiTool,
  OPEN_SCHEMA,
  responses,
  says,
  shows,
} from './adapted.ts';

const prefill = (content: string) => says({ role: 'assistant', content });
const own = reasoningState('1', { vendor: 'anthropic' });
const state = reasoningState('1', { vendor: 'openai', account: 'key' });

const MEMBERS: readonly Adapted[] = [
  { rule: 'version', from: chat, asks: {}, by: 'conversion' },
  {
    rule: 'extra-input',
    from: chat,
    asks: { response_format: { type: 'json_object' }, seed: 1 },
    by: 'conversion',
  },
  {
    rule: 'unknown-tag',
    from: chat,
    asks: says({
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
    }),
    by: 'conversion',
  },
  { rule: 'required', from: chat, asks: {}, by: 'conversion' },
  { rule: 'choice-without-tools', from: chat, asks: { tool_choice: 'required' }, by: 'conversion' },
  {
    rule: 'images-of-assistant',
    from: chat,
    asks: says(
      {
        role: 'assistant',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
      { role: 'user', content: 'What is it?' },
    ),
    by: 'conversion',
  },
  {
    rule: 'most-output',
    from: gemini,
    asks: config({ maxOutputTokens: 9_000, thinkingConfig: { thinkingBudget: 2_048 } }),
    model: 'claude-3-5-haiku-20241022',
    by: 'dialect',
  },
  { rule: 'most-output', from: chat, asks: {}, model: 'claude-3-opus-20240229', by: 'dialect' },
  {
    rule: 'user-id',
    from: chat,
    asks: { user: 'u'.repeat(300) },
    model: 'claude-sonnet-5',
    by: 'dialect',
  },
  { rule: 'user-id', from: chat, asks: { user: 'a b' }, model: 'deepseek-v4-pro', by: 'dialect' },
  { rule: 'image-types', from: chat, asks: shows('image/jpg'), by: 'conversion' },
  { rule: 'stops', from: chat, asks: { stop: ['\n'] }, by: 'conversion' },
  {
    rule: 'cache-marks',
    from: chat,
    asks: {
      ...says(chatCall('t1'), chatResult('t1'), chatCall('t2'), chatResult('t2'), {
        role: 'user',
        content: 'Long. '.repeat(4_000),
      }),
      ...chatTool(),
      prompt_cache_key: 'k',
    },
    model: 'claude-sonnet-5',
    by: 'conversion',
  },
  { rule: 'tool-names', from: gemini, asks: geminiTool('a.b'), by: 'conversion' },
  {
    rule: 'tool-twice',
    from: chat,
    asks: {
      tools: [1, 2].map((n) => ({ type: 'function', function: { name: 'look', description: `${n}` } })),
    },
    by: 'conversion',
  },
  { rule: 'tool-schema', from: chat, asks: chatTool({ parameters: {} }), by: 'conversion' },
  { rule: 'tool-schema', from: chat, asks: chatTool({ parameters: EITHER }), by: 'dialect' },
  {
    rule: 'schema-keywords',
    from: gemini,
    asks: config({ responseMimeType: 'application/json', responseSchema: OPEN_SCHEMA }),
    model: 'claude-sonnet-5',
    by: 'dialect',
  },
];

const THINKING: readonly Adapted[] = [
  {
    rule: 'thinking-kind',
    from: gemini,
    asks: config({ thinkingConfig: { thinkingBudget: 2_048 } }),
    model: 'claude-opus-4-8',
    by: 'dialect',
  },
  {
    rule: 'thinking-kind',
    from: chat,
    asks: { reasoning_effort: 'low' },
    model: 'claude-haiku-4-5',
    by: 'dialect',
  },
  {
    rule: 'thinking-budget',
    from: gemini,
    asks: config({ maxOutputTokens: 4_000, thinkingConfig: { thinkingBudget: 500 } }),
    by: 'conversion',
  },
  {
    rule: 'thinking-budget',
    from: gemini,
    asks: config({ maxOutputTokens: 4_000, thinkingConfig: { thinkingBudget: 4_000 } }),
    by: 'conversion',
  },
  {
    rule: 'effort',
    from: chat,
    asks: { reasoning_effort: 'xhigh' },
    model: 'claude-opus-4-6',
    by: 'dialect',
  },
  {
    rule: 'sampling-none',
    from: chat,
    asks: { temperature: 0.7 },
    model: 'claude-opus-4-8',
    by: 'dialect',
  },
  {
    rule: 'sampling-pair',
    from: gemini,
    asks: config({ temperature: 0.5, topP: 0.9 }),
    model: 'claude-sonnet-4-6',
    by: 'dialect',
  },
  { rule: 'sampling-version', from: chat, asks: { temperature: 0.5 }, by: 'conversion' },
  { rule: 'temperature-range', from: chat, asks: { temperature: 1.5 }, by: 'conversion' },
  {
    rule: 'thinking-sampling',
    from: chat,
    asks: { reasoning_effort: 'high', temperature: 0.5 },
    by: 'conversion',
  },
  {
    rule: 'thinking-forced-tool',
    from: chat,
    asks: { reasoning_effort: 'high', ...chatTool(), tool_choice: 'required' },
    by: 'conversion',
  },
];

const TURNS: readonly Adapted[] = [
  {
    rule: 'roles',
    from: chat,
    asks: says({ role: 'developer', content: 'Be brief.' }, { role: 'user', content: 'And?' }),
    model: 'claude-haiku-4-5',
    by: 'conversion',
  },
  {
    rule: 'empty-content',
    from: chat,
    asks: says(
      { role: 'assistant', content: '' },
      { role: 'user', content: ' \n' },
      { role: 'user', content: '.' },
    ),
    by: 'conversion',
  },
  { rule: 'prefill-blank', from: chat, asks: prefill('It is '), by: 'conversion' },
  { rule: 'prefill', from: chat, asks: prefill('It is'), model: 'claude-sonnet-4-6', by: 'dialect' },
  {
    rule: 'call-blocks',
    from: chat,
    asks: says(chatCall('functions.look:0'), chatResult('functions.look:0')),
    by: 'dialect',
  },
  {
    rule: 'calls-answered',
    from: chat,
    asks: says(chatCall('t1'), { role: 'user', content: 'Stop.' }),
    by: 'conversion',
  },
  { rule: 'results-called', from: chat, asks: says(chatResult('t1')), by: 'conversion' },
  {
    rule: 'results-called',
    from: chat,
    asks: says(chatCall('t1'), chatResult('t1'), chatResult('t1')),
    by: 'conversion',
  },
  {
    rule: 'thinking-signature',
    from: responses,
    asks: {
      input: [
        { role: 'user', content: 'Hello.' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: state },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'And?' },
      ],
    },
    by: 'conversion',
  },
  {
    rule: 'thinking-last',
    from: responses,
    asks: {
      input: [
        { role: 'user', content: 'Hello.' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: own },
        { role: 'user', content: 'And?' },
      ],
    },
    by: 'conversion',
  },
  {
    rule: 'thinking-first',
    from: chat,
    asks: { reasoning_effort: 'high', ...says(chatCall('t1'), chatResult('t1')) },
    by: 'conversion',
  },
];

export const ADAPTED_TO_MESSAGES: readonly Adapted[] = [...MEMBERS, ...THINKING, ...TURNS];

export const EXCUSED_TO_MESSAGES: readonly Excused[] = [
  {
    rule: 'choice-unknown',
    because: 'OpenAI and Google refuse the name of a tool that is not offered as well.',
    passedOn: {
      from: chat,
      asks: { ...chatTool(), tool_choice: { type: 'function', function: { name: 'listen' } } },
    },
  },
];
