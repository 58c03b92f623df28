import { createHash } from 'node:crypto';
import { chat, type DialectCase, messages, responses } from './dialect-case.ts';

const LONG_KEY = 'k'.repeat(65);

export const FIELDS: readonly DialectCase[] = [
  {
    from: responses,
    to: chat,
    model: 'gpt-5.5',
    asks: { metadata: { a: 'b' } },
    sends: { metadata: undefined },
    dropped: ['metadata'],
  },
  {
    from: responses,
    to: chat,
    model: 'o3',
    asks: { metadata: { a: 'b' } },
    sends: { metadata: undefined },
    dropped: ['metadata'],
  },
  {
    from: chat,
    to: responses,
    model: 'gpt-5.5',
    asks: { metadata: { a: 'b' } },
    sends: { metadata: { a: 'b' } },
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { stop: ['\n', 'END'] },
    sends: { stop_sequences: ['END'] },
    dropped: ['stop'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { stop: '\n' },
    sends: { stop_sequences: undefined },
    dropped: ['stop'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: {
      messages: [
        { role: 'system', content: ' \n' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    sends: { system: undefined },
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-4o',
    asks: { max_tokens: 64_000, stop_sequences: [...'abcde'] },
    sends: { max_completion_tokens: 16_384, stop: [...'abcd'] },
    dropped: ['stop_sequences'],
    emulated: ['max_tokens'],
  },
  {
    from: messages,
    to: chat,
    model: 'mistral-large-latest',
    asks: { stop_sequences: [...'abcde'] },
    sends: { stop: [...'abcde'] },
  },
  {
    from: chat,
    to: messages,
    model: 'claude-3-opus-20240229',
    asks: {},
    sends: { max_tokens: 4_096 },
  },
  {
    from: chat,
    to: messages,
    model: 'deepseek-v4-pro',
    asks: { user: 'a b' },
    sends: { metadata: { user_id: createHash('sha256').update('a b').digest('hex') } },
    emulated: ['user'],
  },
  ...([chat, responses] as const).map((to): DialectCase => ({
    from: to === chat ? responses : chat,
    to,
    model: 'gpt-5.5',
    asks: { prompt_cache_key: LONG_KEY },
    sends: { prompt_cache_key: createHash('sha256').update(LONG_KEY).digest('hex') },
    emulated: ['user'],
  })),
];
