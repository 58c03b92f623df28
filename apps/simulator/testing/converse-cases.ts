import type { RuleCase } from './rule-cases.ts';

const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (words: string) => ({ text: words });
const use = (toolUseId: string, name = 'f') => ({ toolUse: { toolUseId, name, input: {} } });
const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [text('done')] } });
const spec = (more: object = {}) => ({
  toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } }, ...more },
});
const tools = (...list: object[]) => ({ toolConfig: { tools: list } });
const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'YQ==' } } });
const picture = (bytes = 'YQ==') => ({ image: { format: 'png', source: { bytes } } });
const pictures = (count: number) => Array.from({ length: count }, () => picture());
const documents = (count: number) => Array.from({ length: count }, (_, index) => document(`d${index}`));
const point = { cachePoint: { type: 'default' } };
const asked = (...messages: object[]) => ({ messages });
const CLAUDE = 'anthropic.claude-sonnet-4-20250514-v1:0';

export const CONVERSE_CASES: readonly RuleCase[] = [
  { rule: 'extraneous-key', bad: { stream: true }, good: {}, says: /extraneous key \[stream\]/ },
  {
    rule: 'inference-config',
    bad: { inferenceConfig: { temperature: 1.2 } },
    good: { inferenceConfig: { temperature: 1, topP: 0, maxTokens: 1, stopSequences: ['.'] } },
    says: /inferenceConfig\.temperature/,
  },
  {
    rule: 'inference-config',
    bad: { inferenceConfig: { maxTokens: 0 } },
    good: {},
    says: /inferenceConfig\.maxTokens/,
  },
  {
    rule: 'inference-config',
    bad: { inferenceConfig: { stopSequences: [' '] } },
    good: {},
    says: /non-whitespace/,
  },
  {
    rule: 'additional-fields',
    bad: { additionalModelRequestFields: { top_k: 5 } },
    good: { additionalModelRequestFields: {} },
    says: /extraneous key \[top_k\]/,
  },
  {
    rule: 'output-config',
    bad: { outputConfig: { effort: 'low' } },
    good: {},
    says: /outputConfig\.effort/,
  },
  {
    rule: 'output-config',
    model: CLAUDE,
    bad: { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: {} } } } } },
    good: {
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{}' } } } },
    },
    says: /must be a string/,
  },
  {
    rule: 'thinking-budget',
    model: CLAUDE,
    bad: {
      inferenceConfig: { maxTokens: 1_024 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
    },
    good: {
      inferenceConfig: { maxTokens: 1_025 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
    },
    says: /greater than `thinking\.budget_tokens`/,
  },
  { rule: 'roles', bad: asked(), good: {}, says: /messages field is required/ },
  {
    rule: 'roles',
    bad: asked(user(text('a')), user(text('b'))),
    good: asked(user(text('a')), assistant(text('b')), user(text('c'))),
    says: /must alternate/,
  },
  { rule: 'roles', bad: asked(assistant(text('a'))), good: {}, says: /must start with a user message/ },
  { rule: 'empty', bad: asked(user()), good: {}, says: /messages\.0 is empty/ },
  { rule: 'empty', bad: asked(user(text(' '))), good: {}, says: /messages\.0\.content\.0 is blank/ },
  {
    rule: 'empty',
    bad: { system: [text('')] },
    good: { system: [text('Be brief.')] },
    says: /system\.0 is blank/,
  },
  {
    rule: 'media',
    bad: asked(user({ image: { format: 'bmp', source: { bytes: 'YQ==' } } })),
    good: asked(user({ image: { format: 'png', source: { bytes: 'YQ==' } } })),
    says: /image\.format/,
  },
  {
    rule: 'media-limits',
    bad: asked(user(text('See.'), ...pictures(21))),
    good: asked(user(text('See.'), ...pictures(20)), assistant(text('Seen.')), user(...pictures(20))),
    says: /too many images: 21 > 20/,
  },
  {
    rule: 'media-limits',
    bad: asked(user(text('See.'), ...documents(6))),
    good: asked(user(text('See.'), ...documents(5))),
    says: /too many documents: 6 > 5/,
  },
  {
    rule: 'media-limits',
    bad: asked(user(picture('A'.repeat(5_300_000)))),
    good: asked(user(picture('A'.repeat(5_200_000)))),
    says: /image exceeds the maximum size/,
  },
  {
    rule: 'cache-hours',
    model: CLAUDE,
    bad: { system: [text('Be brief.'), { cachePoint: { type: 'default', ttl: '1h' } }] },
    good: { system: [text('Be brief.'), { cachePoint: { type: 'default', ttl: '5m' } }] },
    says: /ttl: Extra inputs/,
  },
  {
    rule: 'document-names',
    bad: asked(user(text('See.'), document('a'), document('A'))),
    good: asked(user(text('See.'), document('a'), document('a-2'))),
    says: /duplicate document names/,
  },
  {
    rule: 'document-names',
    bad: asked(user(text('See.'), document('a.pdf'))),
    good: asked(user(text('See.'), document('a pdf'))),
    says: /alphanumeric/,
  },
  { rule: 'document-names', bad: asked(user(document('a'))), good: {}, says: /text block is required/ },
  {
    rule: 'tool-config',
    bad: asked(user(text('a')), assistant(use('1')), user(result('1'))),
    good: { ...asked(user(text('a')), assistant(use('1')), user(result('1'))), ...tools(spec()) },
    says: /toolConfig field must be defined/,
  },
  { rule: 'tool-specs', bad: tools(), good: tools(spec()), says: /toolConfig\.tools/ },
  { rule: 'tool-specs', bad: tools(spec({ name: 'a.b' })), good: {}, says: /regular expression/ },
  { rule: 'tool-specs', bad: tools(spec({ description: '' })), good: {}, says: /description/ },
  {
    rule: 'tool-specs',
    bad: tools(spec({ inputSchema: { json: {} } })),
    good: {},
    says: /one of the following: object/,
  },
  {
    rule: 'tool-specs',
    bad: { toolConfig: { tools: [spec()], toolChoice: { tool: { name: 'g' } } } },
    good: { toolConfig: { tools: [spec()], toolChoice: { tool: { name: 'f' } } } },
    says: /toolChoice/,
  },
  {
    rule: 'tool-results',
    bad: { ...asked(user(text('a')), assistant(use('1'), use('2')), user(result('1'))), ...tools(spec()) },
    good: {
      ...asked(user(text('a')), assistant(use('1'), use('2')), user(result('1'), result('2'))),
      ...tools(spec()),
    },
    says: /Expected toolResult blocks at messages\.2\.content for the following Ids: 2/,
  },
  {
    rule: 'tool-results',
    bad: { ...asked(user(result('9'))), ...tools(spec()) },
    good: {},
    says: /exceeds the number of toolUse blocks/,
  },
  {
    rule: 'tool-results',
    bad: { ...asked(user(text('a')), assistant(use('a b')), user(result('a b'))), ...tools(spec()) },
    good: {},
    says: /toolUseId/,
  },
  {
    rule: 'cache-points',
    model: CLAUDE,
    bad: { system: [point] },
    good: { system: [text('Be brief.'), point] },
    says: /first block/,
  },
  {
    rule: 'cache-points',
    model: CLAUDE,
    bad: asked(
      user(text('a'), point, text('b'), point, text('c'), point, text('d'), point, text('e'), point),
    ),
    good: asked(user(text('a'), point, text('b'), point, text('c'), point, text('d'), point)),
    says: /maximum of 4/,
  },
  {
    rule: 'cached-models',
    model: 'meta.llama3-3-70b-instruct-v1:0',
    bad: { system: [text('Be brief.'), point] },
    good: { system: [text('Be brief.')] },
    status: 403,
    says: /did not allow prompt caching/,
  },
  {
    rule: 'cached-models',
    model: 'anthropic.claude-3-haiku-20240307-v1:0',
    bad: asked(user(text('a'), point)),
    good: asked(user(text('a'))),
    status: 403,
    says: /did not allow prompt caching/,
  },
  {
    rule: 'cached-models',
    model: 'amazon.nova-pro-v1:0',
    bad: tools(spec(), point),
    good: asked(user(text('a'), point)),
    status: 403,
    says: /did not allow prompt caching/,
  },
  {
    rule: 'served-as',
    bad: { serviceTier: { type: 'fast' } },
    good: { serviceTier: { type: 'flex' } },
    says: /serviceTier\.type/,
  },
  {
    rule: 'served-as',
    bad: { performanceConfig: { latency: 'low' } },
    good: { performanceConfig: { latency: 'optimized' } },
    says: /performanceConfig\.latency/,
  },
  {
    rule: 'claude',
    model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    bad: { inferenceConfig: { temperature: 0.5, topP: 0.9 } },
    good: { inferenceConfig: { temperature: 0.5 } },
    says: /^`temperature` and `top_p` cannot both be specified/,
  },
  {
    rule: 'claude',
    model: 'us.anthropic.claude-opus-4-8',
    bad: asked(user(text('Hi')), assistant(text('It is'))),
    good: asked(user(text('Hi')), assistant(text('It is')), user(text('Go on'))),
    says: /does not support assistant message prefill/,
  },
];
