import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import type { CloudDoorName } from '../pools.ts';

/** What one request asks for beside tokens, and what its vendor then does. */
export interface Feature {
  readonly what: string;
  readonly more: object;
  readonly script?: object;
}

const OPENAI_TIERS: readonly Feature[] = [
  ...['priority', 'fast', 'flex', 'ultrafast', 'scale'].map((service_tier) => ({
    what: `the tier ${service_tier}`,
    more: { service_tier },
  })),
  {
    what: 'a tier that it is not served in',
    more: { service_tier: 'priority' },
    script: { tier: 'standard' },
  },
];

const SEARCHES = { tools: [{ type: 'web_search' }], max_tool_calls: 20 };
const CODE = { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }], max_tool_calls: 20 };

const DRAW = { type: 'image_generation', model: 'gpt-image-1-mini', size: '1024x1024', quality: 'high' };
const DRAWN = { input_text: 200, input_image: 300, cached_text: 20, cached_image: 50, output_text: 60 };

const WEB_SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 12 };
const WEB_FETCH = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 12 };
const CODE_EXECUTION = { type: 'code_execution_20250825', name: 'code_execution' };

/** Everything that is sold beside tokens, by wire format. */
export const FEATURES: Readonly<Record<ClientProtocol, readonly Feature[]>> = {
  'openai-chat': [
    ...OPENAI_TIERS,
    { what: 'a search that is cited', more: { web_search_options: {} } },
    { what: 'searches of xAI', more: { search_parameters: { mode: 'on' } }, script: { searches: 4 } },
    {
      what: 'searches of Perplexity',
      more: { web_search_options: {} },
      script: { searches: 3, search_words: 'perplexity' },
    },
    {
      what: 'searches of OpenRouter in a tier',
      more: { tools: [{ type: 'openrouter:web_search' }], service_tier: 'flex' },
      script: { searches: 2 },
    },
  ],
  'openai-responses': [
    ...OPENAI_TIERS,
    { what: 'a search', more: SEARCHES },
    { what: 'a search that is offered and not made', more: SEARCHES, script: { searches: 0 } },
    { what: 'searches and opened pages', more: SEARCHES, script: { searches: 3, pages_opened: 4 } },
    {
      what: 'searches that are not reported',
      more: SEARCHES,
      script: { searches: 3, pages_opened: 4, tool_usage: false },
    },
    { what: 'searches of files', more: { tools: [{ type: 'file_search' }] }, script: { file_searches: 3 } },
    { what: 'code in two containers', more: CODE, script: { containers: 2, code_calls: 5 } },
    {
      what: 'a picture of a model that is left to the vendor',
      more: { tools: [{ type: 'image_generation' }] },
    },
    {
      what: 'a picture of another model',
      more: { tools: [DRAW] },
      script: { drawing: { output_image: 900 } },
    },
    {
      what: 'pictures that read pictures, some of them cached',
      more: { tools: [DRAW] },
      script: { drawing: { ...DRAWN, output_image: 1_000 } },
    },
    { what: 'a picture that its vendor does not charge', more: { tools: [DRAW] }, script: { drawing: {} } },
    {
      what: 'a picture and searches in a tier',
      more: { tools: [...SEARCHES.tools, DRAW], service_tier: 'flex' },
      script: { searches: 2, drawing: { ...DRAWN, output_image: 700 } },
    },
    {
      what: 'all of it in a tier',
      more: { tools: [...SEARCHES.tools, { type: 'file_search' }, ...CODE.tools], service_tier: 'priority' },
      script: { searches: 2, file_searches: 1, containers: 1, code_calls: 2 },
    },
  ],
  'anthropic-messages': [
    { what: 'the tier priority', more: { service_tier: 'priority' } },
    {
      what: 'a tier that it is not served in',
      more: { service_tier: 'priority' },
      script: { tier: 'standard' },
    },
    { what: 'faster inference', more: { speed: 'fast' } },
    { what: 'the region us', more: { inference_geo: 'us' } },
    { what: 'a region and a speed', more: { inference_geo: 'eu', speed: 'fast' } },
    { what: 'searches', more: { tools: [WEB_SEARCH] }, script: { searches: 5 } },
    { what: 'fetches', more: { tools: [WEB_FETCH] }, script: { fetches: 5 } },
    { what: 'code', more: { tools: [CODE_EXECUTION] }, script: { containers: 1, code_calls: 3 } },
    {
      what: 'all of it in a tier and a region',
      more: { tools: [WEB_SEARCH, WEB_FETCH, CODE_EXECUTION], service_tier: 'priority', inference_geo: 'us' },
      script: { searches: 2, fetches: 3 },
    },
  ],
  gemini: [
    { what: 'the tier priority', more: { serviceTier: 'priority' } },
    { what: 'the tier flex', more: { serviceTier: 'flex' } },
    {
      what: 'a tier in the words of Vertex',
      more: { serviceTier: 'priority' },
      script: { traffic_type: true },
    },
    { what: 'a tier that it is not served in', more: { serviceTier: 'flex' }, script: { tier: 'standard' } },
    { what: 'queries', more: { tools: [{ googleSearch: {} }] }, script: { searches: 4 } },
    {
      what: 'queries in a tier',
      more: { tools: [{ googleSearch: {} }], serviceTier: 'flex' },
      script: { searches: 2 },
    },
  ],
};

/** Something that is billed behind the door of a cloud, and the format in which it is asked for. */
interface CloudFeature extends Feature {
  readonly format: ClientProtocol;
}

const asked = (format: ClientProtocol, features: readonly Feature[]): CloudFeature[] =>
  features.map((feature) => ({ format, ...feature }));

const of = (format: ClientProtocol, ...names: readonly string[]): CloudFeature[] =>
  asked(format, [TOKENS, ...FEATURES[format].filter(({ what }) => names.includes(what))]);

const TOKENS: Feature = { what: 'tokens alone', more: {} };
const UNSERVED = 'a tier that it is not served in';

/** What lasts an hour in the cache costs more than what lasts five minutes. */
const HOURS: Feature = {
  what: 'writes for an hour beside those for five minutes',
  more: {},
  script: { usage: { input: 60, output: 20, cache_read: 10, cache_write: 5, cache_write_1h: 9 } },
};

const OPENAI_WORD = { service_tier: 'priority' };
const CONVERSE_TIERS: readonly Feature[] = [
  { what: 'the tier priority', more: OPENAI_WORD },
  { what: 'the tier flex', more: { service_tier: 'flex' } },
  { what: UNSERVED, more: OPENAI_WORD, script: { tier: 'standard' } },
];

/** The same behind the doors of clouds, as far as they sell it. */
export const CLOUD_FEATURES: Readonly<Record<CloudDoorName, readonly CloudFeature[]>> = {
  'azure-v1': of('openai-responses', 'the tier priority', UNSERVED, 'a search', 'code in two containers'),
  'azure-classic': of('openai-chat', 'the tier priority', UNSERVED),
  foundry: [
    ...of('anthropic-messages', 'the tier priority', 'searches'),
    ...asked('anthropic-messages', [HOURS]),
  ],
  'vertex-gemini': of(
    'gemini',
    'the tier priority',
    'the tier flex',
    UNSERVED,
    'queries',
    'queries in a tier',
  ),
  'vertex-anthropic': [...of('anthropic-messages', 'searches'), ...asked('anthropic-messages', [HOURS])],
  'bedrock-invoke': [
    ...of('anthropic-messages'),
    ...asked('anthropic-messages', [
      HOURS,
      { what: 'the tier priority', more: OPENAI_WORD },
      { what: 'the tier flex', more: { service_tier: 'flex' } },
      { what: UNSERVED, more: OPENAI_WORD, script: { tier: 'standard' } },
    ]),
  ],
  converse: [
    ...CLIENT_PROTOCOLS.flatMap((format) => asked(format, [TOKENS, HOURS])),
    ...asked('openai-chat', CONVERSE_TIERS),
    ...asked('openai-responses', CONVERSE_TIERS),
  ],
};
