import {
  call,
  CALLS,
  closed,
  long,
  result,
  SAMPLING,
  says,
  schema,
  tool,
  user,
  VENDORS,
} from './chat-cases.ts';
import type { RuleCase } from './rule-cases.ts';

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

const CONTENT: readonly RuleCase[] = [
  {
    rule: 'unknown-argument',
    bad: { top_k: 40 },
    good: { top_p: 0.9 },
    says: 'Unrecognized request argument supplied: top_k',
  },
  {
    rule: 'unknown-argument',
    bad: { top_k: 40, thinking: {} },
    good: {},
    says: 'Unrecognized request arguments supplied: top_k, thinking',
  },
  {
    rule: 'unknown-parameter',
    bad: { response_format: { type: 'json_schema', schema: closed, json_schema: { name: 'place' } } },
    good: says({ role: 'user', content: 'Hello', mood: 'good' }),
    says: "Unknown parameter: 'response_format.schema'.",
    param: 'response_format.schema',
    code: 'unknown_parameter',
  },
  {
    rule: 'unknown-kind',
    bad: says({ role: 'narrator', content: 'Once' }),
    good: says({ role: 'developer', content: 'Be brief' }, user),
    says: "Invalid value: 'narrator'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool', and 'function'.",
    param: 'messages[0].role',
  },
  {
    rule: 'unknown-kind',
    bad: says({ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }),
    good: says({ role: 'user', content: [{ type: 'text', text: 'Hello' }] }),
    says: /^Invalid value: 'input_text'\./,
    param: 'messages[0].content[0].type',
  },
  {
    rule: 'images-of-users',
    bad: says(user, { role: 'assistant', content: [picture] }, user),
    good: says({ role: 'user', content: [picture] }),
    says: "Invalid 'messages[1]'. Image URLs are only allowed for messages with role 'user', but this message with role 'assistant' contains an image URL.",
    param: 'messages[1]',
    code: 'invalid_value',
  },
  {
    rule: 'images-of-users',
    bad: says(user, call('c1'), { ...result('c1'), content: [picture] }),
    good: says(user, call('c1'), result('c1'), { role: 'user', content: [picture] }),
    says: /^Invalid 'messages\[2\]'\. .* this message with role 'tool'/,
  },
  {
    rule: 'images-of-users',
    bad: says({ role: 'system', content: [{ type: 'text', text: 'Be brief' }, picture] }, user),
    good: says({ role: 'system', content: [{ type: 'text', text: 'Be brief' }] }, user),
    says: /this message with role 'system'/,
  },
  {
    rule: 'empty-content',
    bad: says(user, { role: 'assistant', content: null }),
    good: says(user, { role: 'assistant', content: '' }, user),
    says: "Invalid value for 'content': expected a string, got null.",
  },
  {
    rule: 'image-url',
    bad: says({ role: 'user', content: [{ type: 'image_url', image_url: 'https://a.example/b.png' }] }),
    good: says({
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
    }),
    says: "Invalid type for 'messages[0].content[0].image_url': expected an object, but got a string instead.",
  },
  {
    rule: 'json-word',
    bad: { response_format: { type: 'json_object' } },
    good: { response_format: { type: 'json_object' }, messages: [{ role: 'user', content: 'As JSON' }] },
    says: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  },
];

const FIELDS: readonly RuleCase[] = [
  {
    rule: 'lengths',
    bad: { user: long },
    good: { user: long.slice(1) },
    says: "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    param: 'user',
    code: 'string_above_max_length',
  },
  { rule: 'lengths', bad: { prompt_cache_key: long }, good: {}, says: /^Invalid 'prompt_cache_key'/ },
  {
    rule: 'metadata-store',
    bad: { metadata: { a: 'b' } },
    good: { metadata: { a: 'b' }, store: true },
    says: "The 'metadata' parameter is only allowed when 'store' is enabled.",
  },
  {
    rule: 'stream-options',
    bad: { stream_options: { include_usage: true } },
    good: { stream_options: null },
    says: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  },
  {
    rule: 'tool-names',
    bad: tool({ name: long }),
    good: tool({ name: long.slice(1) }),
    says: /^Invalid 'tools\[0\]\.function\.name': string too long/,
  },
  {
    rule: 'tool-names',
    bad: tool({ name: 'a.b' }),
    good: tool({ name: 'a-b_C1' }),
    says: "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    code: 'invalid_value',
  },
  { rule: 'empty-tools', bad: { tools: [] }, good: {}, says: /^Invalid 'tools': empty array/ },
  {
    rule: 'empty-tools',
    bad: says(user, { role: 'assistant', content: 'Hi', tool_calls: [] }, user),
    good: says(user, { role: 'assistant', content: 'Hi' }, user),
    says: /^Invalid 'messages\[1\]\.tool_calls': empty array/,
  },
  {
    rule: 'tool-options-alone',
    bad: { tool_choice: 'auto' },
    good: { tool_choice: 'auto', ...tool({}) },
    says: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  },
  {
    rule: 'tool-schemas',
    bad: tool({ parameters: {} }),
    good: tool({ parameters: { type: 'object' } }),
    says: `Invalid schema for function 'look': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
    param: 'tools[0].function.parameters',
    code: 'invalid_function_parameters',
  },
  {
    rule: 'tool-schemas',
    bad: tool({ parameters: { type: 'object', properties: { all: { type: 'array' } } } }),
    good: tool({ parameters: { type: 'object', properties: { all: { type: 'array', items: {} } } } }),
    says: "Invalid schema for function 'look': In context=('properties', 'all'), array schema missing items.",
  },
  {
    rule: 'tool-schemas',
    bad: tool({ strict: true, parameters: { ...closed, required: [] } }),
    good: tool({ strict: true, parameters: closed }),
    says: "Invalid schema for function 'look': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'city'.",
  },
  {
    rule: 'tool-schemas',
    bad: tool({ parameters: { type: 'object', anyOf: [closed] } }),
    good: tool({ parameters: { type: 'object', properties: { a: { anyOf: [closed] } } } }),
    says: "Invalid schema for function 'look': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  },
  {
    rule: 'answer-schema',
    bad: schema({ ...closed, additionalProperties: true }),
    good: schema({ ...closed, additionalProperties: true }, false),
    says: "Invalid schema for response_format 'place': In context=(), 'additionalProperties' is required to be supplied and to be false.",
  },
];

export const CHAT_CASES = [...CONTENT, ...FIELDS, ...SAMPLING, ...CALLS, ...VENDORS];
