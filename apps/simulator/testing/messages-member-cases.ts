import {
  assistant,
  format,
  marked,
  object,
  results,
  says,
  text,
  THINKING,
  tool,
  TURNS,
  use,
  user,
} from './messages-cases.ts';
import type { RuleCase } from './rule-cases.ts';

const shows = (media_type: string) =>
  says({
    role: 'user',
    content: [{ type: 'image', source: { type: 'base64', media_type, data: 'AAAA' } }],
  });

const MEMBERS: readonly RuleCase[] = [
  {
    rule: 'version',
    bad: {},
    headers: { 'anthropic-version': '' },
    good: {},
    goodHeaders: { 'anthropic-version': '2023-06-01' },
    says: 'anthropic-version: header is required',
  },
  {
    rule: 'extra-input',
    bad: { response_format: {} },
    good: { metadata: { user_id: 'a' } },
    says: 'response_format: Extra inputs are not permitted',
  },
  {
    rule: 'extra-input',
    bad: says(user, { ...assistant(use('t1', { text: '' })) }, results('t1')),
    good: says(user, assistant(use('t1')), results('t1')),
    says: 'messages.1.content.0.tool_use.text: Extra inputs are not permitted',
  },
  {
    rule: 'extra-input',
    bad: { system: [text('Be brief', { cache_control: { type: 'ephemeral', scope: 'global' } })] },
    good: { system: [text('Be brief', { cache_control: { type: 'ephemeral', ttl: '1h' } })] },
    says: 'system.0.cache_control.ephemeral.scope: Extra inputs are not permitted',
  },
  {
    rule: 'extra-input',
    bad: { context_management: { edits: [] } },
    good: { context_management: { edits: [] } },
    goodHeaders: { 'anthropic-beta': 'context-management-2025-06-27' },
    says: 'context_management: Extra inputs are not permitted',
  },
  {
    rule: 'extra-input',
    bad: says({ ...user, output_config: { effort: 'low' } }),
    good: says({ ...user, output_config: { effort: 'low' } }),
    goodHeaders: { 'anthropic-beta': 'per-turn-control-2026-07-01' },
    says: 'messages.0.output_config: Extra inputs are not permitted',
  },
  {
    rule: 'unknown-tag',
    bad: says({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] }),
    good: tool({ type: 'web_search_20990101' }),
    says: /^messages\.0\.content\.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text', 'image'/,
  },
  {
    rule: 'required',
    bad: { max_tokens: undefined },
    good: { max_tokens: 1 },
    says: 'max_tokens: Field required',
  },
  {
    rule: 'most-output',
    model: 'claude-3-5-haiku-20241022',
    bad: { max_tokens: 64_000 },
    good: { max_tokens: 8_192 },
    says: 'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022',
  },
  {
    rule: 'user-id',
    bad: { metadata: { user_id: 'x'.repeat(257) } },
    good: { metadata: { user_id: 'x'.repeat(256) } },
    says: 'metadata.user_id: String should have at most 256 characters',
  },
  {
    rule: 'user-id',
    model: 'deepseek-v4-pro',
    bad: { metadata: { user_id: '{"device_id":"a"}' } },
    good: { metadata: { user_id: 'device_a-1' } },
    says: "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  },
  {
    rule: 'stops',
    bad: { stop_sequences: ['\n'] },
    good: { stop_sequences: ['\nEND'] },
    says: 'stop_sequences: each stop sequence must contain non-whitespace',
  },
  {
    rule: 'image-types',
    bad: shows('image/jpg'),
    good: shows('image/jpeg'),
    says: "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  },
  {
    rule: 'cache-marks',
    bad: marked(5),
    good: marked(4),
    says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
];

const TOOLS: readonly RuleCase[] = [
  {
    rule: 'tool-names',
    bad: tool({ name: 'a.b' }),
    good: tool({ name: 'a-b' }),
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    rule: 'tool-names',
    bad: tool({ name: 'x'.repeat(129) }),
    good: tool({ name: 'x'.repeat(128) }),
    says: 'tools.0.custom.name: String should have at most 128 characters',
  },
  {
    rule: 'tool-twice',
    bad: { tools: [...tool().tools, ...tool().tools] },
    good: tool(),
    says: 'tools: Tool names must be unique.',
  },
  {
    rule: 'tool-schema',
    bad: tool({ input_schema: {} }),
    good: tool({ input_schema: { type: 'object', properties: {} } }),
    says: 'tools.0.custom.input_schema.type: Field required',
  },
  {
    rule: 'choice-without-tools',
    bad: { tool_choice: { type: 'any' } },
    good: { tool_choice: { type: 'auto' } },
    says: 'tool_choice.any may only be specified while providing tools',
  },
  {
    rule: 'choice-without-tools',
    bad: { tools: [], tool_choice: { type: 'tool', name: 'look' } },
    good: { tools: [], tool_choice: { type: 'none' } },
    says: "Tool 'look' not found in provided tools",
  },
  {
    rule: 'choice-unknown',
    bad: { ...tool(), tool_choice: { type: 'tool', name: 'listen' } },
    good: { ...tool(), tool_choice: { type: 'tool', name: 'look' } },
    says: "Tool 'listen' not found in provided tools",
  },
  {
    rule: 'schema-keywords',
    bad: format({ type: 'object', properties: {} }),
    good: format({ ...object, required: [] }),
    says: "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  },
  {
    rule: 'schema-keywords',
    bad: format({ ...object, properties: { n: { type: 'integer', minimum: 1 } } }),
    good: format({ ...object, properties: { n: { type: 'integer', description: 'at least 1' } } }),
    says: "output_config.format.schema: For 'integer' type, property 'minimum' is not supported",
  },
  {
    rule: 'schema-keywords',
    bad: format({ ...object, properties: { n: { type: 'array', items: {}, minItems: 8 } } }),
    good: format({ ...object, properties: { n: { type: 'array', items: {}, minItems: 1 } } }),
    says: "output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported",
  },
  {
    rule: 'schema-keywords',
    bad: tool({ strict: true, input_schema: { type: 'object' } }),
    good: tool({ input_schema: { type: 'object' } }),
    says: /^tools\.0\.custom\.input_schema: For 'object' type/,
  },
];

export const MESSAGES_CASES = [...MEMBERS, ...TOOLS, ...THINKING, ...TURNS];
