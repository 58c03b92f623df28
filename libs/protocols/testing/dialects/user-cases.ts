import { createHash } from 'node:crypto';
import { type DialectCase, chat, responses, messages } from './dialect-case.ts';

const CLAUDE_CODE_USER = JSON.stringify({
  device_id: '3f2c9a'.padEnd(64, '0'),
  account_uuid: '',
  session_id: '8d4a2c1e-1111-4222-8333-444455556666',
});

const HASH = createHash('sha256').update(CLAUDE_CODE_USER).digest('hex');

export const USERS: readonly DialectCase[] = [
  {
    from: messages,
    to: chat,
    model: 'gpt-5.5',
    asks: { metadata: { user_id: CLAUDE_CODE_USER } },
    sends: { user: HASH },
    emulated: ['metadata.user_id'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5.5',
    asks: { metadata: { user_id: CLAUDE_CODE_USER } },
    sends: { user: HASH },
    emulated: ['metadata.user_id'],
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-5.5',
    asks: { metadata: { user_id: 'u'.repeat(64) } },
    sends: { user: 'u'.repeat(64) },
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { user: 'u'.repeat(256) },
    sends: { metadata: { user_id: 'u'.repeat(256) } },
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { user: CLAUDE_CODE_USER.repeat(2) },
    sends: { metadata: { user_id: createHash('sha256').update(CLAUDE_CODE_USER.repeat(2)).digest('hex') } },
    emulated: ['user'],
  },
  {
    from: responses,
    to: chat,
    model: 'gpt-5.5',
    asks: { safety_identifier: CLAUDE_CODE_USER },
    sends: { safety_identifier: HASH },
    emulated: ['safety_identifier'],
  },
  {
    from: responses,
    to: chat,
    model: 'deepseek-v4',
    asks: { user: 'a@b.example' },
    sends: { user: createHash('sha256').update('a@b.example').digest('hex') },
    emulated: ['user'],
  },
  {
    from: responses,
    to: chat,
    model: 'glm-5',
    asks: { user: 'ann' },
    sends: { user: createHash('sha256').update('ann').digest('hex') },
    emulated: ['user'],
  },
  {
    from: messages,
    to: chat,
    model: 'mistral-large-latest',
    asks: { metadata: { user_id: 'ann' } },
    sends: { user: undefined },
    dropped: ['user'],
  },
];
