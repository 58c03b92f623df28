import {
  CLIENT_PROTOCOLS,
  type ClientProtocol,
  COSTLY_FEATURES,
  type CostlyFeature,
} from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';
import { CODECS } from '../registry.ts';
import type { ServedFeatures } from './costs.ts';
import { curbCosts } from './curb-costs.ts';

const curb = (
  protocol: ClientProtocol,
  body: JsonObject,
  { allowed = [], strict = false }: { allowed?: readonly CostlyFeature[]; strict?: boolean } = {},
) => curbCosts(protocol, body, { model: 'm', served: { ...NOTHING, free: new Set(allowed) }, strict });

const NOTHING: ServedFeatures = {
  free: new Set(),
  priced: new Set(),
  serviceTiers: new Set(),
  regions: new Set(),
  drawingModels: [],
};

const FUNCTION = {
  'openai-chat': { type: 'function', function: { name: 'f' } },
  'openai-responses': { type: 'function', name: 'f', parameters: {} },
  'anthropic-messages': { name: 'f', input_schema: {} },
  gemini: { functionDeclarations: [{ name: 'f' }] },
} as const satisfies Record<ClientProtocol, object>;

/** A tool of each vendor with its feature; the path of Gemini's has the tool's name behind it. */
const HOSTED: readonly [ClientProtocol, object, CostlyFeature][] = [
  ['openai-responses', { type: 'web_search' }, 'web_search'],
  ['openai-responses', { type: 'web_search_preview_2025_03_11' }, 'web_search'],
  ['openai-responses', { type: 'file_search', vector_store_ids: ['vs_1'] }, 'file_search'],
  ['openai-responses', { type: 'code_interpreter', container: { type: 'auto' } }, 'code_execution'],
  ['openai-responses', { type: 'shell', environment: { type: 'container_auto' } }, 'code_execution'],
  ['openai-responses', { type: 'image_generation' }, 'image_generation'],
  ['openai-responses', { type: 'mcp', server_label: 'x', server_url: 'https://x.example' }, 'mcp'],
  ['openai-responses', { type: 'programmatic_tool_calling' }, 'other_tools'],
  ['openai-responses', { type: 'something_of_2027' }, 'other_tools'],
  ['openai-responses', {}, 'other_tools'],
  ['anthropic-messages', { type: 'web_search_20250305', name: 'web_search' }, 'web_search'],
  ['anthropic-messages', { type: 'web_fetch_20260209', name: 'web_fetch' }, 'web_fetch'],
  ['anthropic-messages', { type: 'code_execution_20250825', name: 'code_execution' }, 'code_execution'],
  ['anthropic-messages', { type: 'mcp_toolset', mcp_server_name: 'x' }, 'mcp'],
  ['anthropic-messages', { type: 'advisor_20260301', name: 'advisor' }, 'other_tools'],
  ['gemini', { googleSearch: {} }, 'web_search'],
  ['gemini', { google_search: {} }, 'web_search'],
  ['gemini', { googleSearchRetrieval: {} }, 'web_search'],
  ['gemini', { googleMaps: {} }, 'web_search'],
  ['gemini', { urlContext: {} }, 'web_fetch'],
  ['gemini', { codeExecution: {} }, 'code_execution'],
  ['gemini', { file_search: {} }, 'file_search'],
  ['gemini', { somethingOf2027: {} }, 'other_tools'],
  ['openai-chat', { type: 'web_search', web_search: { enable: true } }, 'web_search'],
  ['openai-chat', { type: 'builtin_function', function: { name: '$web_search' } }, 'other_tools'],
];

describe.each(HOSTED)('%s %j', (protocol, tool, feature) => {
  const own = FUNCTION[protocol];
  const path = `tools[1]${protocol === 'gemini' ? `.${Object.keys(tool)[0]}` : ''}`;

  test('is left out and named where it is merely offered', () => {
    expect(curb(protocol, { tools: [own, tool, own] })).toEqual({
      ok: true,
      changes: { tools: [own, own] },
      dropped: [path],
    });
  });

  test('is a 400 that names it where there is no other tool, and for a strict key', () => {
    for (const result of [
      curb(protocol, { tools: [tool] }),
      curb(protocol, { tools: [own, tool] }, { strict: true }),
    ]) {
      expect(result).toMatchObject({
        ok: false,
        error: { kind: 'unsupported', message: expect.stringContaining(feature) as string },
      });
    }
    expect(curb(protocol, { tools: [own, tool] }, { strict: true })).toMatchObject({
      error: { param: path },
    });
  });

  test('passes untouched where the operator gives it away', () => {
    for (const strict of [true, false])
      expect(curb(protocol, { tools: [tool] }, { allowed: [feature], strict })).toEqual(UNTOUCHED);
  });
});

const UNTOUCHED = { ok: true, changes: {}, dropped: [] };

test.each<[ClientProtocol, object]>([
  ['openai-chat', { type: 'custom', custom: { name: 'c' } }],
  ['openai-chat', { function: { name: 'f' } }],
  ['openai-responses', { type: 'custom', name: 'c' }],
  ['openai-responses', { type: 'namespace', name: 'n', tools: [FUNCTION['openai-responses']] }],
  ['openai-responses', { type: 'local_shell' }],
  ['openai-responses', { type: 'shell' }],
  ['openai-responses', { type: 'shell', environment: { type: 'local' } }],
  ['openai-responses', { type: 'apply_patch' }],
  ['openai-responses', { type: 'computer_use_preview' }],
  ['openai-responses', { type: 'tool_search' }],
  ['anthropic-messages', { type: 'custom', name: 'c' }],
  ['anthropic-messages', { type: 'bash_20250124', name: 'bash' }],
  ['anthropic-messages', { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }],
  ['anthropic-messages', { type: 'computer_20250124', name: 'computer' }],
  ['anthropic-messages', { type: 'memory_20250818', name: 'memory' }],
  ['anthropic-messages', { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }],
  ['gemini', { function_declarations: [{ name: 'f' }] }],
  ['gemini', { computerUse: {} }],
])('%s: %j runs at the client and passes', (protocol, tool) => {
  expect(curb(protocol, { tools: [tool] }, { strict: true })).toEqual(UNTOUCHED);
});

test.each<[ClientProtocol, JsonObject, string]>([
  ['openai-responses', { tool_choice: { type: 'web_search' } }, 'tools[1]'],
  [
    'openai-responses',
    { tool_choice: { type: 'allowed_tools', tools: [{ type: 'web_search' }] } },
    'tool_choice.tools[0]',
  ],
  ['anthropic-messages', { tool_choice: { type: 'tool', name: 'web_search' } }, 'tools[1]'],
  ['openai-chat', { tool_choice: { type: 'web_search' } }, 'tools[1]'],
])('%s: a choice of it demands it: %j', (protocol, more, param) => {
  const tool = {
    type: protocol === 'anthropic-messages' ? 'web_search_20250305' : 'web_search',
    name: 'web_search',
  };
  expect(curb(protocol, { tools: [FUNCTION[protocol], tool], ...more })).toMatchObject({
    ok: false,
    error: { kind: 'unsupported', param },
  });
});

test('what is left out may not be chosen from any more', () => {
  const own = FUNCTION['openai-responses'];
  const choose = (tools: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools });
  expect(
    curb('openai-responses', {
      tools: [own, { type: 'web_search' }],
      tool_choice: choose([{ type: 'web_search' }, { type: 'function', name: 'f' }]),
    }),
  ).toEqual({
    ok: true,
    changes: { tools: [own], tool_choice: choose([{ type: 'function', name: 'f' }]) },
    dropped: ['tools[1]'],
  });
});

test('what may not be called demands nothing: it is left out with its choice', () => {
  expect(curb('openai-responses', { tools: [{ type: 'web_search' }], tool_choice: 'none' })).toEqual({
    ok: true,
    changes: { tools: undefined, tool_choice: undefined },
    dropped: ['tools[0]'],
  });
  const gemini = { tools: [{ googleSearch: {} }], toolConfig: { functionCallingConfig: { mode: 'NONE' } } };
  expect(curb('gemini', gemini)).toMatchObject({ ok: true, changes: { tools: undefined } });
});

test('tools of namespaces, of items of the input and of MCP servers are found', () => {
  const own = FUNCTION['openai-responses'];
  const brought = { type: 'additional_tools', tools: [{ type: 'web_search' }] };
  const body = {
    tools: [own, { type: 'namespace', name: 'n', tools: [{ type: 'mcp' }, own] }],
    input: [{ role: 'user', content: 'Hello' }, brought, { type: 'mcp_list_tools', tools: [{ name: 'x' }] }],
  };
  expect(curb('openai-responses', body)).toEqual({
    ok: true,
    changes: {
      tools: [own, { type: 'namespace', name: 'n', tools: [own] }],
      input: [body.input[0], body.input[2]],
    },
    dropped: ['tools[1].tools[0]', 'input[1].tools[0]'],
  });
  const messages = { tools: [FUNCTION['anthropic-messages']], mcp_servers: [{ type: 'url', name: 'x' }] };
  expect(curb('anthropic-messages', messages)).toEqual({
    ok: true,
    changes: { mcp_servers: undefined },
    dropped: ['mcp_servers[0]'],
  });
  expect(curb('anthropic-messages', { mcp_servers: [{ type: 'url' }] })).toMatchObject({ ok: false });
});

test('Gemini: one entry may hold functions and a tool of Google', () => {
  const both = { ...FUNCTION.gemini, googleSearch: {} };
  expect(curb('gemini', { tools: [both] })).toEqual({
    ok: true,
    changes: { tools: [FUNCTION.gemini] },
    dropped: ['tools[0].googleSearch'],
  });
  expect(curb('gemini', { tools: [{ functionDeclarations: [], googleSearch: {} }] })).toMatchObject({
    ok: false,
  });
});

test.each<[ClientProtocol, JsonObject, CostlyFeature, string?]>([
  ['openai-chat', { service_tier: 'priority' }, 'service_tier'],
  ['openai-chat', { service_tier: 'constructor' }, 'service_tier'],
  ['openai-chat', { service_tier: {} }, 'service_tier'],
  ['openai-chat', { web_search_options: {} }, 'web_search'],
  ['openai-chat', { search_parameters: {} }, 'web_search', 'search_parameters.mode'],
  ['openai-responses', { search_parameters: { mode: null } }, 'web_search', 'search_parameters.mode'],
  ['openai-chat', { enable_search: true }, 'web_search'],
  ['openai-chat', { plugins: [{ id: 'web' }] }, 'other_tools'],
  ['openai-chat', { models: ['dearer'] }, 'other_models'],
  ['openai-responses', { service_tier: 'fast' }, 'service_tier'],
  ['openai-responses', { background: true }, 'background'],
  ['openai-responses', { background: 'true' }, 'background'],
  ['anthropic-messages', { speed: 'fast' }, 'speed'],
  ['anthropic-messages', { inference_geo: 'us' }, 'inference_geo'],
  ['anthropic-messages', { service_tier: 'priority' }, 'service_tier'],
  ['anthropic-messages', { container: { skills: [{ skill_id: 'pptx' }] } }, 'skills', 'container.skills'],
  ['anthropic-messages', { fallbacks: [{ model: 'dearer' }] }, 'other_models'],
  [
    'anthropic-messages',
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] } },
    'compaction',
    'context_management.edits[1].type',
  ],
  ['gemini', { serviceTier: 'PRIORITY' }, 'service_tier'],
  ['gemini', { service_tier: 'flex' }, 'service_tier'],
  ['gemini', { generation_config: { routingConfig: {} } }, 'other_models', 'generation_config.routingConfig'],
])('%s: %j is a 400 unless the operator gives %s away', (protocol, body, feature, ...rest) => {
  const param = rest[0] ?? Object.keys(body)[0];
  expect(curb(protocol, body)).toMatchObject({ ok: false, error: { kind: 'unsupported', param } });
  expect(curb(protocol, body, { allowed: [feature] })).toEqual(UNTOUCHED);
});

test.each<[ClientProtocol, JsonObject]>([
  ['openai-chat', { service_tier: 'default', enable_search: false, search_parameters: { mode: 'off' } }],
  ['openai-chat', { service_tier: null, search_parameters: null }],
  ['openai-responses', { background: false, service_tier: 'default' }],
  ['anthropic-messages', { speed: 'standard', service_tier: 'standard_only', inference_geo: 'global' }],
  ['anthropic-messages', { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }],
  ['gemini', { serviceTier: 'SERVICE_TIER_STANDARD' }],
])('%s: %j costs nothing more and passes', (protocol, body) => {
  expect(curb(protocol, body, { strict: true })).toEqual(UNTOUCHED);
});

test.each<[ClientProtocol, string, string]>([
  ['openai-chat', 'service_tier', 'default'],
  ['openai-responses', 'service_tier', 'default'],
  ['anthropic-messages', 'service_tier', 'standard_only'],
  ['gemini', 'serviceTier', 'standard'],
])('%s: %s auto is sent as %s', (protocol, field, instead) => {
  expect(curb(protocol, { [field]: 'auto' })).toEqual({
    ok: true,
    changes: { [field]: instead },
    dropped: [],
  });
});

test('every feature of the tables can be given away', () => {
  for (const protocol of CLIENT_PROTOCOLS) {
    const { fields, hostedTools } = CODECS[protocol].costs;
    const used = [
      ...Object.values(fields).map(({ feature }) => feature),
      ...hostedTools.map(([, feature]) => feature),
    ];
    for (const feature of used) expect(COSTLY_FEATURES).toContain(feature);
  }
});

const DRAWS: ServedFeatures = {
  ...NOTHING,
  priced: new Set(['image_generation']),
  drawingModels: ['gpt-image-2', 'gpt-image-1-mini'].map((name) => ({
    name,
    maxInput: null,
    maxOutput: null,
  })),
};
const draw = (of: object = {}) => ({ type: 'image_generation', ...of });
const curbDrawing = (tools: readonly object[], strict = false) =>
  curbCosts('openai-responses', { tools }, { model: 'm', served: DRAWS, strict });

test('a tool that draws is told which model to draw with', () => {
  expect(curbDrawing([FUNCTION['openai-responses'], draw()], true)).toEqual({
    ok: true,
    changes: { tools: [FUNCTION['openai-responses'], draw({ model: 'gpt-image-2' })] },
    dropped: [],
  });
  expect(curbDrawing([draw({ model: 'gpt-image-1-mini' })])).toEqual(UNTOUCHED);
});

test('a model that has no price, or a second one, draws nothing', () => {
  const refused = { ok: false, error: { param: 'tools[0]' } };
  expect(curbDrawing([draw({ model: 'gpt-image-9' })])).toMatchObject(refused);
  expect(curbDrawing([draw({ model: 'gpt-image-9' }), draw()])).toMatchObject({ ok: false });
  expect(curbDrawing([{ type: 'web_search' }, draw(), draw({ model: 'gpt-image-1-mini' })])).toEqual({
    ok: true,
    changes: { tools: [draw({ model: 'gpt-image-2' })] },
    dropped: ['tools[0]', 'tools[2]'],
  });
});
