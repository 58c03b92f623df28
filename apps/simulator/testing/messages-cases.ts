import { reasoningState } from '../src/reasoning-state.ts';
import type { RuleCase } from './rule-cases.ts';

export const user = { role: 'user', content: 'Hello' };
export const says = (...messages: object[]) => ({ messages });
export const assistant = (...content: object[]) => ({ role: 'assistant', content });
export const use = (id: string, more: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'look',
  input: {},
  ...more,
});
export const results = (...ids: string[]) => ({
  role: 'user',
  content: ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'rain' })),
});
export const text = (of: string, more: object = {}) => ({ type: 'text', text: of, ...more });
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const thought = (signature: string) => ({ type: 'thinking', thinking: 'Hm', signature });
const own = reasoningState('1', { vendor: 'anthropic' });
const googles = reasoningState('1', { vendor: 'google', account: 'test' });
export const tool = (more: object = {}) => ({
  tools: [{ name: 'look', input_schema: { type: 'object' }, ...more }],
});
export const format = (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } });
const effort = (level: string) => ({ output_config: { effort: level } });
const enabled = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
const adaptive = { thinking: { type: 'adaptive' } };
export const marked = (count: number) => ({
  system: Array.from({ length: count }, () => text('Be brief', { cache_control: { type: 'ephemeral' } })),
});
export const object = { type: 'object', additionalProperties: false, required: ['n'] };
const SAYS_CONSULT = /Please consult our documentation at https:\/\/docs\.claude\.com/;

export const THINKING: readonly RuleCase[] = [
  {
    rule: 'thinking-kind',
    model: 'claude-opus-4-7',
    bad: enabled(1_024),
    good: adaptive,
    says: '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  },
  {
    rule: 'thinking-kind',
    model: 'claude-haiku-4-5-20251001',
    bad: adaptive,
    good: enabled(1_024),
    says: 'adaptive thinking is not supported on this model',
  },
  {
    rule: 'thinking-budget',
    bad: enabled(1_023),
    good: enabled(1_024),
    says: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  },
  {
    rule: 'thinking-budget',
    bad: enabled(4_000),
    good: enabled(4_000),
    goodHeaders: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
    says: /^`max_tokens` must be greater than `thinking.budget_tokens`\./,
  },
  {
    rule: 'effort',
    model: 'claude-sonnet-4-5',
    bad: effort('low'),
    good: {},
    says: 'This model does not support the effort parameter.',
  },
  {
    rule: 'effort',
    model: 'claude-opus-4-6',
    bad: effort('xhigh'),
    good: effort('max'),
    says: "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  },
  {
    rule: 'sampling-none',
    model: 'claude-sonnet-5',
    bad: { temperature: 0.7 },
    good: { temperature: 1 },
    says: '`temperature` is deprecated for this model.',
  },
  {
    rule: 'sampling-none',
    model: 'claude-opus-4-8',
    bad: { top_k: 40 },
    good: { top_p: 0.99 },
    says: '`top_k` is deprecated for this model.',
  },
  {
    rule: 'sampling-pair',
    model: 'claude-opus-4-1-20250805',
    bad: { temperature: 0.1, top_p: 1 },
    good: { temperature: 0.1 },
    says: '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
  },
  {
    rule: 'sampling-version',
    bad: { temperature: 1 },
    headers: { 'anthropic-version': '2026-10-21' },
    good: {},
    says: 'temperature: Extra inputs are not permitted',
  },
  {
    rule: 'temperature-range',
    bad: { temperature: 1.5 },
    good: { temperature: 1 },
    says: 'temperature: Input should be less than or equal to 1',
  },
  { rule: 'thinking-sampling', bad: { ...adaptive, temperature: 0.5 }, good: adaptive, says: SAYS_CONSULT },
  {
    rule: 'thinking-sampling',
    bad: { ...adaptive, top_k: 40 },
    good: { ...adaptive, top_p: 0.95 },
    says: /^`top_k` must be unset when thinking is enabled/,
  },
  {
    rule: 'thinking-forced-tool',
    bad: { ...adaptive, ...tool(), tool_choice: { type: 'any' } },
    good: { ...adaptive, ...tool(), tool_choice: { type: 'auto' } },
    says: 'Thinking may not be enabled when tool_choice forces tool use.',
  },
];

export const TURNS: readonly RuleCase[] = [
  {
    rule: 'images-of-assistant',
    bad: says(user, assistant(picture), user),
    good: says({ role: 'user', content: [picture] }, assistant(text('Fine.')), user),
    says: "messages.1.content: 'image' blocks are not permitted within assistant turns.",
  },
  {
    rule: 'roles',
    model: 'claude-sonnet-4-6',
    bad: says(user, { role: 'system', content: 'Be brief' }, user),
    good: says(user, user),
    says: "role 'system' is not supported on this model",
  },
  {
    rule: 'roles',
    bad: says({ role: 'tool', content: 'rain' }),
    good: says(user, { role: 'system', content: 'Be brief' }),
    says: "messages.0.role: Input should be 'user', 'assistant' or 'system'",
  },
  {
    rule: 'empty-content',
    bad: says({ role: 'user', content: [text('')] }),
    good: says({ role: 'user', content: [text('.')] }),
    says: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'empty-content',
    bad: says({ role: 'user', content: ' \n' }),
    good: says(user),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    rule: 'empty-content',
    bad: { system: [text('  ')] },
    good: { system: [text('Be brief')] },
    says: 'system: text content blocks must contain non-whitespace text',
  },
  {
    rule: 'empty-content',
    bad: says(user, assistant(), user),
    good: says(user, assistant()),
    says: 'messages.1: all messages must have non-empty content except for the optional final assistant message',
  },
  {
    rule: 'empty-content',
    bad: says({ role: 'user', content: [text('', { cache_control: { type: 'ephemeral' } }), text('Hi')] }),
    good: says({ role: 'user', content: [text('Hi', { cache_control: { type: 'ephemeral' } })] }),
    says: 'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  },
  {
    rule: 'prefill-blank',
    bad: says(user, assistant(text('It is '))),
    good: says(user, assistant(text('It is'))),
    says: 'messages: final assistant content cannot end with trailing whitespace',
  },
  {
    rule: 'prefill',
    model: 'claude-opus-4-6',
    bad: says(user, assistant(text('It is'))),
    good: says(user, assistant(text('It is')), user),
    says: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    rule: 'call-blocks',
    bad: says(user, assistant(use('functions.look:0')), results('functions.look:0')),
    good: says(user, assistant(use('functions_look-0')), results('functions_look-0')),
    says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: 'call-blocks',
    bad: says(user, assistant(use('t1', { input: '{}' })), results('t1')),
    good: says(user, assistant(use('t1')), results('t1')),
    says: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  },
  {
    rule: 'calls-answered',
    bad: says(user, assistant(use('t1'), use('t2')), results('t1')),
    good: says(user, assistant(use('t1'), use('t2')), results('t2', 't1')),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  },
  {
    rule: 'calls-answered',
    bad: says(user, assistant(use('t1')), {
      role: 'user',
      content: [text('See:'), ...results('t1').content],
    }),
    good: says(user, assistant(use('t1')), {
      role: 'user',
      content: [...results('t1').content, text('See?')],
    }),
    says: /^messages\.1: `tool_use` ids were found without/,
  },
  {
    rule: 'results-called',
    bad: says(user, assistant(text('Hi')), results('t1')),
    good: says(user, assistant(use('t1')), results('t1')),
    says: 'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  },
  {
    rule: 'results-called',
    bad: says(user, assistant(use('t1')), results('t1', 't1')),
    good: says(user, assistant(use('t1')), results('t1')),
    says: /each tool_use must have a single result/,
  },
  {
    rule: 'thinking-signature',
    bad: says(user, assistant(thought(googles), text('Hi')), user),
    good: says(user, assistant(thought(own), text('Hi')), user),
    says: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    rule: 'thinking-last',
    bad: says(user, assistant(thought(own)), user),
    good: says(user, assistant(thought(own), text('Hi')), user),
    says: 'messages.1: The final block in an assistant message cannot be `thinking`.',
  },
  {
    rule: 'thinking-first',
    bad: { ...adaptive, ...says(user, assistant(use('t1')), results('t1')) },
    good: { ...adaptive, ...says(user, assistant(thought(own), use('t1')), results('t1')) },
    says: /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\./,
  },
];
