import { COSTLY_FEATURES, type CostlyFeature, type ClientProtocol } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';
import { boundExtras, type ExtrasBound } from './bound-extras.ts';
import type { ServedFeatures } from './costs.ts';
import { curbCosts } from './curb-costs.ts';

const served = (of: {
  free?: readonly CostlyFeature[];
  priced?: readonly CostlyFeature[];
}): ServedFeatures => ({
  free: new Set(of.free),
  priced: new Set(of.priced ?? COSTLY_FEATURES),
  serviceTiers: new Set(['priority', 'flex', 'fast']),
  regions: new Set(['us']),
  drawingModels: [{ name: 'draws', maxInput: null, maxOutput: null }],
});

type Row = [what: string, protocol: ClientProtocol, body: JsonObject, bound: ExtrasBound];

const none: ExtrasBound = { units: {}, serviceTiers: [] };

const rows: Row[] = [
  ['nothing', 'openai-chat', {}, none],
  ['the ordinary tier', 'openai-chat', { service_tier: 'default' }, none],
  ['a tier', 'openai-chat', { service_tier: 'flex' }, { ...none, serviceTiers: ['flex'] }],
  [
    'a tier of another name',
    'openai-responses',
    { service_tier: 'fast' },
    { ...none, serviceTiers: ['priority'] },
  ],
  ['searches of Chat', 'openai-chat', { web_search_options: {} }, { ...none, units: { searches: 20 } }],
  [
    'searches of xAI by default',
    'openai-chat',
    { search_parameters: {} },
    { ...none, units: { searches: 20 } },
  ],
  [
    'a stated limit of calls',
    'openai-responses',
    { max_tool_calls: 3, tools: [{ type: 'web_search' }, { type: 'file_search' }, { type: 'function' }] },
    { ...none, units: { searches: 3, file_searches: 3 } },
  ],
  [
    'no limit: what is assumed',
    'openai-responses',
    { tools: [{ type: 'web_search' }, { type: 'code_interpreter' }] },
    { ...none, units: { searches: 20, container_sessions: 4 } },
  ],
  [
    'a limit beyond all measure',
    'openai-responses',
    { max_tool_calls: 1e12, tools: [{ type: 'web_search' }] },
    { ...none, units: { searches: 1_000 } },
  ],
  [
    'a limit below zero',
    'openai-responses',
    { max_tool_calls: -5, tools: [{ type: 'web_search' }] },
    { ...none, units: { searches: 0 } },
  ],
  [
    'a limit of each tool',
    'anthropic-messages',
    {
      tools: [
        { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
        { type: 'web_fetch_20260209', name: 'web_fetch' },
        { name: 'own', input_schema: {}, max_uses: 9 },
      ],
    },
    { ...none, units: { searches: 5, fetches: 20 } },
  ],
  [
    'a region and speed',
    'anthropic-messages',
    { inference_geo: 'us', speed: 'fast' },
    { ...none, serviceTiers: ['fast'], region: 'us' },
  ],
  [
    'the way to priority',
    'anthropic-messages',
    { service_tier: 'auto' },
    { ...none, serviceTiers: ['priority'] },
  ],
  ['searches of Google', 'gemini', { tools: [{ googleSearch: {} }] }, { ...none, units: { searches: 20 } }],
];

test.each(rows)('%s', (_what, protocol, body, bound) => {
  expect(boundExtras(protocol, body, served({}))).toEqual({ region: undefined, ...bound });
});

test('where nothing is served the request is not looked at', () => {
  expect(boundExtras('openai-chat', { web_search_options: {} }, served({ priced: [] }))).toBeUndefined();
});

test('what is free is counted as far as it is reported', () => {
  const free = served({ free: ['web_search'], priced: [] });
  expect(boundExtras('openai-chat', { web_search_options: {} }, free)?.units).toEqual({
    searches: 1_000_000,
  });
});

test.each<[string, ClientProtocol, JsonObject, ok: boolean]>([
  ['a tier that has a price', 'openai-chat', { service_tier: 'flex' }, true],
  ['a tier that has none', 'openai-chat', { service_tier: 'scale' }, false],
  ['a word that is no tier', 'openai-chat', { service_tier: 'warp' }, false],
  ['a region that has a price', 'anthropic-messages', { inference_geo: 'us' }, true],
  ['a region that has none', 'anthropic-messages', { inference_geo: 'eu' }, false],
  [
    'a tool whose use is told',
    'anthropic-messages',
    { tools: [{ type: 'web_fetch_20260209', name: 'w' }] },
    true,
  ],
  ['a tool whose use no answer tells', 'gemini', { tools: [{ urlContext: {} }] }, false],
  ['what goes on after the answer', 'openai-responses', { background: true }, false],
])('of what is priced, %s: served %s %j %s', (_what, protocol, body, ok) => {
  const curbed = curbCosts(protocol, body, { model: 'm', served: served({}), strict: true });
  expect(curbed.ok).toBe(ok);
});

test('a choice that is left to the vendor is made: the ordinary tier, whose price is known', () => {
  expect(
    curbCosts('openai-chat', { service_tier: 'auto' }, { model: 'm', served: served({}), strict: true }),
  ).toEqual({ ok: true, changes: { service_tier: 'default' }, dropped: [] });
});

test.each<[what: string, tool: object, tokens: number]>([
  ['low', { size: '1024x1024', quality: 'low' }, 272],
  ['low and tall', { size: '1024x1536', quality: 'low' }, 408],
  ['low and wide', { size: '1536x1024', quality: 'low' }, 400],
  ['medium', { size: '1024x1024', quality: 'medium' }, 1_056],
  ['medium and tall', { size: '1024x1536', quality: 'medium' }, 1_584],
  ['medium and wide', { size: '1536x1024', quality: 'medium' }, 1_568],
  ['high', { size: '1024x1024', quality: 'high' }, 4_160],
  ['high and tall', { size: '1024x1536', quality: 'high' }, 6_240],
  ['high and wide', { size: '1536x1024', quality: 'high' }, 6_208],
  ['as the vendor likes', { size: 'auto', quality: 'auto' }, 6_240],
  ['with views before it is ready', { size: '1024x1024', quality: 'low', partial_images: 3 }, 572],
  ['larger than any', { size: '99999x99999', quality: 'low' }, 60 * 61],
  ['of a kind that is not there', { partial_images: 'many' }, 6_240],
])('a picture that is %s has so many tokens', (_what, tool, tokens) => {
  const body = { tools: [{ type: 'image_generation', ...tool }] };
  const drawing = boundExtras('openai-responses', body, served({}))?.drawing;
  expect(drawing).toMatchObject({ model: 'draws', images: 4, outputOfImage: tokens + 1_000 });
  expect(drawing?.output).toBe(4 * (tokens + 1_000));
});

test.each<[what: string, body: JsonObject, input: number]>([
  ['a text', { input: 'a cat' }, 32_000],
  ['a picture', { input: [{ content: [{ type: 'input_image' }, { type: 'input_text' }] }] }, 39_000],
  ['a picture that was drawn before', { input: [{ type: 'image_generation_call' }] }, 39_000],
  ['what the vendor keeps', { previous_response_id: 'resp_1' }, 32_000 + 16 * 7_000],
  ['what the vendor keeps of an item', { input: [{ type: 'item_reference' }] }, 32_000 + 16 * 7_000],
])('a picture of %s reads so many tokens', (_what, body, input) => {
  const asked = { ...body, tools: [{ type: 'image_generation' }], max_tool_calls: 1 };
  expect(boundExtras('openai-responses', asked, served({}))?.drawing?.input).toBe(input);
});
