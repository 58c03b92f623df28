import type { RuleCase } from './rule-cases.ts';

export const user = { role: 'user', content: 'Hello' };
export const says = (...messages: object[]) => ({ messages });
export const call = (id: string, name = 'look') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});
export const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'rain' });
export const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const tool = (of: object) => ({ tools: [{ type: 'function', function: { name: 'look', ...of } }] });
export const schema = (of: object, strict = true) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'place', strict, schema: of } },
});
export const long = 'x'.repeat(65);
const longId = 'c'.repeat(41);

export const SAMPLING: readonly RuleCase[] = [
  {
    rule: 'both-limits',
    bad: { max_tokens: 9, max_completion_tokens: 9 },
    good: { max_tokens: 9, max_completion_tokens: null },
    says: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
  },
  {
    rule: 'max-tokens-name',
    model: 'gpt-5.4',
    bad: { max_tokens: 9 },
    good: { max_completion_tokens: 9 },
    says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code: 'unsupported_parameter',
  },
  {
    rule: 'least-output',
    bad: { max_tokens: 0 },
    good: { max_tokens: 1 },
    says: "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  },
  {
    rule: 'most-output',
    model: 'gpt-4o-2024-08-06',
    bad: { max_tokens: 64_000 },
    good: { max_tokens: 16_384 },
    says: 'max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.',
  },
  {
    rule: 'most-output',
    model: 'moonshot-v1-8k',
    bad: { max_completion_tokens: 64_000 },
    good: { max_completion_tokens: 8_192 },
    says: /^max_completion_tokens is too large: 64000\. This model supports at most 8192/,
  },
  {
    rule: 'effort',
    model: 'gpt-4o-mini',
    bad: { reasoning_effort: 'low' },
    good: {},
    says: 'Unrecognized request argument supplied: reasoning_effort',
  },
  {
    rule: 'effort',
    model: 'gpt-5.1',
    bad: { reasoning_effort: 'minimal' },
    good: { reasoning_effort: 'none' },
    says: "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'none', 'low', 'medium', and 'high'.",
  },
  {
    rule: 'effort-with-tools',
    model: 'gpt-5.4',
    bad: { ...tool({}), reasoning_effort: 'low' },
    good: tool({}),
    says: "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    param: 'reasoning_effort',
  },
  {
    rule: 'effort-with-tools',
    model: 'gpt-5.5',
    bad: tool({}),
    good: { ...tool({}), reasoning_effort: 'none' },
    says: /^Function tools with reasoning_effort are not supported for gpt-5\.5/,
  },
  {
    rule: 'effort-of-others',
    model: 'mistral-large-2512',
    bad: { reasoning_effort: 'high' },
    good: {},
    says: '`reasoning_effort` is not supported with this model',
  },
  {
    rule: 'effort-of-others',
    model: 'mistral-small-2603',
    bad: { reasoning_effort: 'medium' },
    good: { reasoning_effort: 'high' },
    says: "reasoning_effort='medium' is not supported for this model.",
  },
  {
    rule: 'effort-of-others',
    model: 'grok-4.3',
    bad: { reasoning_effort: 'xhigh' },
    good: { reasoning_effort: 'none' },
    says: "reasoning_effort='xhigh' is not supported for this model.",
  },
  {
    rule: 'parallel-calls',
    model: 'o4-mini',
    bad: { ...tool({}), parallel_tool_calls: true },
    good: tool({}),
    says: "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
  },
  {
    rule: 'sampling',
    model: 'gpt-5-mini',
    bad: { temperature: 0.7 },
    good: { temperature: 1 },
    says: "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
    code: 'unsupported_value',
  },
  {
    rule: 'sampling',
    model: 'gpt-5.5',
    bad: { top_p: 0.5, reasoning_effort: 'low' },
    good: { top_p: 0.5, reasoning_effort: 'none' },
    says: "Unsupported parameter: 'top_p' is not supported with this model.",
  },
  {
    rule: 'stop-on-reasoning',
    model: 'o4-mini',
    bad: { stop: ['END'] },
    good: {},
    says: "Unsupported parameter: 'stop' is not supported with this model.",
  },
  {
    rule: 'stops',
    bad: { stop: [...'abcde'] },
    good: { stop: [...'abcd'] },
    says: /^Invalid 'stop': array too long/,
  },
];

export const CALLS: readonly RuleCase[] = [
  {
    rule: 'call-ids',
    bad: says(user, call(longId), result(longId)),
    good: says(user, call(longId.slice(1)), result(longId.slice(1))),
    says: "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
  },
  {
    rule: 'called-names',
    bad: says(user, call('call_1', 'a b'), result('call_1')),
    good: says(user, call('call_1', 'a_b'), result('call_1')),
    says: /^Invalid 'messages\[1\]\.tool_calls\[0\]\.function\.name': string does not match/,
  },
  {
    rule: 'calls-answered',
    bad: says(user, call('call_1'), call('call_2'), result('call_1'), result('call_2')),
    good: says(user, call('call_1'), result('call_1'), call('call_2'), result('call_2')),
    says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
    param: 'messages.[2].role',
  },
  {
    rule: 'calls-answered',
    model: 'deepseek-chat',
    bad: says(user, call('call_1'), user),
    good: says(user, call('call_1'), result('call_1')),
    says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
  },
  {
    rule: 'results-called',
    bad: says(user, result('call_1')),
    good: says(user, call('call_1'), result('call_1')),
    says: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
];

const nine = 'abcDEF123';
const mistral = { model: 'mistral-large-2512' };
const deepseek = { model: 'deepseek-v4-pro' };
export const VENDORS: readonly RuleCase[] = [
  {
    rule: 'mistral-extra',
    ...mistral,
    status: 422,
    bad: { max_completion_tokens: 32_000 },
    good: { max_tokens: 32_000 },
    says: 'Extra inputs are not permitted max_completion_tokens',
  },
  {
    rule: 'mistral-extra',
    ...mistral,
    status: 422,
    bad: says(user, { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, user),
    good: says(user, { role: 'assistant', content: 'Hi' }, user),
    says: 'Extra inputs are not permitted reasoning_content',
  },
  {
    rule: 'mistral-call-ids',
    ...mistral,
    bad: says(user, call('call_1'), result('call_1')),
    good: says(user, call(nine), result(nine)),
    says: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
  },
  {
    rule: 'mistral-order',
    ...mistral,
    bad: says(user, call(nine), result(nine), user),
    good: says(user, call(nine), result(nine), { role: 'assistant', content: 'Rain' }, user),
    says: "Unexpected role 'user' after role 'tool'",
  },
  {
    rule: 'mistral-order',
    ...mistral,
    bad: says(user, { role: 'assistant', content: 'It' }),
    good: says(user, { role: 'assistant', content: 'It', prefix: true }),
    says: /^Expected last role User or Tool/,
  },
  {
    rule: 'mistral-results',
    ...mistral,
    bad: says(user, call(nine), { role: 'assistant', content: 'Hm' }, user),
    good: says(user, { role: 'assistant', content: 'Hm' }, user),
    says: 'Not the same number of function calls and responses',
  },
  {
    rule: 'deepseek-roles',
    ...deepseek,
    bad: says({ role: 'developer', content: 'Be brief' }, user),
    good: says({ role: 'system', content: 'Be brief' }, user),
    says: /unknown variant `developer`, expected one of `system`, `user`/,
  },
  {
    rule: 'deepseek-schema',
    ...deepseek,
    bad: schema(closed),
    good: { response_format: { type: 'json_object' } },
    says: 'This response_format type is unavailable now',
  },
  {
    rule: 'deepseek-user',
    ...deepseek,
    bad: { user_id: '{"device":"a"}' },
    good: { user_id: 'device-a' },
    says: /^Invalid 'user_id': string does not match pattern/,
  },
  {
    rule: 'deepseek-reasoning',
    ...deepseek,
    bad: says(user, call('call_1'), result('call_1')),
    good: says(user, { ...call('call_1'), reasoning_content: 'Hm' }, result('call_1')),
    says: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
  },
  {
    rule: 'deepseek-reasoning',
    ...deepseek,
    bad: says(user, { ...call('call_1'), reasoning_content: '' }, result('call_1'), user),
    good: says(user, { ...call('call_1'), reasoning_content: ' ' }, result('call_1'), user),
    says: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
  },
  {
    rule: 'moonshot-reasoning',
    model: 'kimi-k2.6',
    bad: says(user, call('call_1'), result('call_1')),
    good: says(user, { ...call('call_1'), reasoning_content: ' ' }, result('call_1')),
    says: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  },
  {
    rule: 'deepseek-custom',
    ...deepseek,
    bad: { tools: [{ type: 'custom', custom: { name: 'apply_patch' } }] },
    good: {
      tools: [{ type: 'function', function: { name: 'apply_patch', parameters: { type: 'object' } } }],
    },
    says: /tools\[0\]\.type: unknown variant `custom`, expected `function`/,
  },
];
