import type { Codec } from '../codec.ts';

/** Codex, and those who do as it does: its session is what OpenAI's prompt cache is kept by. */
export const openaiCallerHeaders: Codec['callerHeaders'] = {
  names: new Set([
    'openai-beta',
    'originator',
    'version',
    'session-id',
    'thread-id',
    'conversation-id',
    'x-client-request-id',
    'x-openai-subagent',
    'x-openai-internal-codex-responses-lite',
    // By these xAI and Fireworks find the prompt cache of a conversation.
    'x-grok-conv-id',
    'x-session-affinity',
  ]),
  prefixes: ['x-stainless-', 'x-codex-'],
};
