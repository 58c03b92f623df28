import { reasoningState } from '../src/reasoning-state.ts';
import type { RuleCase } from './rule-cases.ts';

const user = { role: 'user', content: 'Hello' };
const input = (...items: object[]) => ({ input: items });
const call = (call_id: string, name = 'look') => ({ type: 'function_call', call_id, name, arguments: '{}' });
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'rain' });
const closed = { type: 'object', properties: {}, required: [], additionalProperties: false };
const tool = (of: object) => ({ tools: [{ type: 'function', name: 'look', ...of }] });
const format = (of: object) => ({ text: { format: of } });
const thought = (encrypted_content: string, id = 'rs_1') => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content,
});
const own = reasoningState('1', { vendor: 'openai', account: 'test' });
const others = reasoningState('1', { vendor: 'openai', account: 'other' });
const claudes = reasoningState('1', { vendor: 'anthropic' });
const long = 'x'.repeat(65);

export const RESPONSES_CASES: readonly RuleCase[] = [
  {
    rule: 'moved-parameter',
    bad: { max_tokens: 100 },
    good: { max_output_tokens: 100 },
    says: /^Unsupported parameter: 'max_tokens'\. In the Responses API, this parameter has moved to 'max_output_tokens'\./,
    code: 'unsupported_parameter',
  },
  {
    rule: 'unknown-parameter',
    bad: { stop: ['END'] },
    good: { client_metadata: { from: 'codex' } },
    says: "Unknown parameter: 'stop'.",
    param: 'stop',
    code: 'unknown_parameter',
  },
  {
    rule: 'unknown-parameter',
    bad: input(user, { ...thought(own), status: 'completed' }),
    good: input(user, thought(own)),
    says: "Unknown parameter: 'input[1].status'.",
  },
  {
    rule: 'unknown-parameter',
    bad: input(user, { ...call('call_1'), parsed_arguments: {} }, output('call_1')),
    good: input(user, { ...call('call_1'), status: 'completed' }, output('call_1')),
    says: "Unknown parameter: 'input[1].parsed_arguments'.",
  },
  {
    rule: 'unknown-kind',
    bad: input({ role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }, user),
    good: input({ role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }, user),
    says: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    param: 'input[0].content[0].type',
  },
  {
    rule: 'background-stored',
    bad: { background: true, store: false },
    good: { background: false, store: false },
    says: "Invalid value: 'background' requires 'store' to be true.",
    param: 'background',
  },
  {
    rule: 'lengths',
    bad: { user: long },
    good: { user: long.slice(1) },
    says: /^Invalid 'user': string too long/,
  },
  {
    rule: 'least-output',
    bad: { max_output_tokens: 15 },
    good: { max_output_tokens: 16 },
    says: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
    code: 'integer_below_min_value',
  },
  {
    rule: 'most-output',
    model: 'gpt-4o',
    bad: { max_output_tokens: 16_385 },
    good: { max_output_tokens: 16_384 },
    says: /^Invalid 'max_output_tokens': integer above maximum value/,
  },
  {
    rule: 'encrypted-content',
    model: 'gpt-4.1-mini',
    bad: { include: ['reasoning.encrypted_content'] },
    good: { include: ['message.output_text.logprobs'] },
    says: 'Encrypted content is not supported with this model.',
    param: 'include',
  },
  {
    rule: 'encrypted-content',
    model: 'gpt-5-chat-latest',
    bad: { include: ['reasoning.encrypted_content'] },
    good: {},
    says: 'Encrypted content is not supported with this model.',
  },
  {
    rule: 'effort',
    model: 'gpt-4o',
    bad: { reasoning: { effort: 'low' } },
    good: {},
    says: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  },
  {
    rule: 'effort',
    model: 'o3',
    bad: { reasoning: { effort: 'none' } },
    good: { reasoning: { effort: 'low' } },
    says: /^Unsupported value: 'reasoning.effort' does not support 'none'/,
  },
  {
    rule: 'sampling',
    model: 'gpt-5',
    bad: { temperature: 0.7 },
    good: {},
    says: "Unsupported parameter: 'temperature' is not supported with this model.",
  },
  {
    rule: 'sampling',
    model: 'gpt-5.5',
    bad: { top_p: 0.7, reasoning: { effort: 'high' } },
    good: { top_p: 0.7, reasoning: { effort: 'none' } },
    says: "Unsupported parameter: 'top_p' is not supported with this model.",
  },
  {
    rule: 'tool-names',
    bad: { tools: [{ type: 'function', function: { name: 'look' } }] },
    good: tool({}),
    // The shape is read first: Chat's nesting is a parameter that this API does not know.
    says: "Unknown parameter: 'tools[0].function'.",
  },
  {
    rule: 'tool-names',
    bad: { tools: [{ type: 'function' }] },
    good: tool({}),
    says: "Missing required parameter: 'tools[0].name'.",
  },
  {
    rule: 'tool-names',
    bad: tool({ name: 'a b' }),
    good: tool({}),
    says: /^Invalid 'tools\[0\]\.name': string does not/,
  },
  {
    rule: 'tool-schemas',
    bad: tool({ strict: true, parameters: { type: 'object', properties: {} } }),
    good: tool({ strict: true, parameters: closed }),
    says: /^Invalid schema for function 'look': In context=\(\), 'additionalProperties' is required/,
    param: 'tools[0].parameters',
  },
  {
    rule: 'answer-schema',
    bad: format({ type: 'json_schema', schema: closed }),
    good: format({ type: 'json_schema', name: 'place', schema: closed }),
    says: "Missing required parameter: 'text.format.name'.",
  },
  {
    rule: 'answer-schema',
    bad: format({ type: 'json_schema', name: 'place', strict: true, schema: { type: 'object' } }),
    good: format({ type: 'json_schema', name: 'place', schema: { type: 'object' } }),
    says: /^Invalid schema for response_format 'place'/,
  },
  {
    rule: 'json-word',
    bad: { ...format({ type: 'json_object' }), instructions: 'Answer in JSON' },
    good: { input: 'As JSON', ...format({ type: 'json_object' }) },
    says: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
  },
  {
    rule: 'call-ids',
    bad: input(user, call(long), output(long)),
    good: input(user, call(long.slice(1)), output(long.slice(1))),
    says: "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  },
  {
    rule: 'item-ids',
    bad: input(user, thought(own, 'reasoning_1')),
    good: input(user, thought(own, 'rs_1')),
    says: "Invalid 'input[1].id': 'reasoning_1'. Expected an ID that begins with 'rs'.",
  },
  {
    rule: 'called-names',
    bad: input(user, call('call_1', 'a.b'), output('call_1')),
    good: input(user, call('call_1', 'a_b'), output('call_1')),
    says: /^Invalid 'input\[1\]\.name': string does not match/,
  },
  {
    rule: 'encrypted-state',
    bad: input(user, thought(others)),
    good: input(user, thought(own)),
    says: /^The encrypted content c2lt\.\.\..{4} could not be verified\./,
    code: 'invalid_encrypted_content',
  },
  {
    rule: 'encrypted-state',
    bad: input(user, thought(claudes)),
    good: input(user),
    says: /could not be verified/,
  },
  {
    rule: 'calls-answered',
    bad: input(user, call('call_1')),
    good: input(user, call('call_1'), output('call_1')),
    says: 'No tool output found for function call call_1.',
    param: 'input',
  },
  {
    rule: 'outputs-called',
    bad: input(user, output('call_1')),
    good: input(user, call('call_1'), output('call_1')),
    says: 'No tool call found for function call output with call_id call_1.',
    param: 'input',
  },
];
