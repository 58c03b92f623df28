import type { ClientProtocol, MeterKind, ServiceTier } from '@tollgate/vocabulary';

/** What a row of the table shows: a kind that is counted, or a tier that is served. */
export type Shown = MeterKind | ServiceTier;

/** What one request asks for beside tokens, and what its vendor then does. */
export interface Feature {
  readonly what: string;
  readonly more: object;
  /** What a user sends beside a text. */
  readonly parts?: readonly object[];
  readonly script?: object;
  /** What then stands in the books. */
  readonly shows: readonly Shown[];
}

/** Some of each kind of token, so that what multiplies them is seen. */
export const USAGE = { input: 30, output: 40, cache_read: 10, cache_write: 5, reasoning: 7 };
const WRITTEN = ['output', 'output_reasoning'] as const;
export const CACHED = ['cache_read', 'cache_write'] as const;

export const tokens = (...shows: readonly Shown[]): Feature => ({
  what: 'tokens alone',
  more: {},
  shows: ['input', 'standard', ...shows],
});

export const UNSERVED = 'a tier that it is not served in';
export const unserved = (more: object): Feature => ({
  what: UNSERVED,
  more,
  script: { tier: 'standard' },
  shows: ['standard'],
});

export const tier = (name: ServiceTier, more: object = { service_tier: name }, script?: object): Feature => ({
  what: `the tier ${name}`,
  more,
  ...(script ? { script } : {}),
  shows: [name],
});
/** Nobody who waits for an answer is served in it unless the vendor says so. */
const inBatch = (more: object = { service_tier: 'batch' }): Feature => tier('batch', more, { tier: 'batch' });

const OPENAI_TIERS: readonly Feature[] = [
  tier('priority'),
  tier('flex'),
  tier('ultrafast'),
  tier('scale'),
  inBatch(),
  {
    what: 'the tier fast, which is called priority there',
    more: { service_tier: 'fast' },
    shows: ['priority'],
  },
  unserved({ service_tier: 'priority' }),
];

/** What lasts longer in the cache costs more than what lasts some minutes. */
export const HOURS: Feature = {
  what: 'writes for hours beside those for minutes',
  more: {},
  script: { usage: { input: 60, output: 20, cache_read: 10, cache_write: 5, cache_write_1h: 9 } },
  shows: ['cache_write', 'cache_write_1h'],
};

const WAV = Buffer.from('RIFF').toString('base64');
const PNG = Buffer.from('PNG').toString('base64');
const SOUND = {
  input: 60,
  output: 50,
  cache_read: 5,
  audio_in: 20,
  image_in: 10,
  audio_out: 30,
  reasoning: 4,
};
const DRAWN_OUT = { input: 60, output: 400, image_out: 400 };

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
    tokens(...CACHED, ...WRITTEN),
    ...OPENAI_TIERS,
    {
      what: 'sound and a picture',
      more: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } },
      parts: [
        { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
      script: { usage: SOUND },
      shows: ['input_audio', 'input_image', 'output_audio'],
    },
    {
      what: 'a picture that the model draws',
      more: { modalities: ['text', 'image'] },
      script: { usage: DRAWN_OUT },
      shows: ['output_image'],
    },
    { what: 'a search that is cited', more: { web_search_options: {} }, shows: ['searches'] },
    {
      what: 'searches of xAI',
      more: { search_parameters: { mode: 'on' } },
      script: { searches: 4 },
      shows: ['searches'],
    },
    {
      what: 'searches of Perplexity',
      more: { web_search_options: {} },
      script: { searches: 3, search_words: 'perplexity' },
      shows: ['searches'],
    },
    {
      what: 'searches of OpenRouter in a tier',
      more: { tools: [{ type: 'openrouter:web_search' }], service_tier: 'flex' },
      script: { searches: 2 },
      shows: ['searches', 'flex'],
    },
  ],
  'openai-responses': [
    tokens(...CACHED, ...WRITTEN),
    HOURS,
    ...OPENAI_TIERS,
    { what: 'a search', more: SEARCHES, shows: ['searches'] },
    { what: 'a search that is offered and not made', more: SEARCHES, script: { searches: 0 }, shows: [] },
    {
      what: 'searches and opened pages',
      more: SEARCHES,
      script: { searches: 3, pages_opened: 4 },
      shows: ['searches'],
    },
    {
      what: 'searches that are not reported',
      more: SEARCHES,
      script: { searches: 3, pages_opened: 4, tool_usage: false },
      shows: ['searches'],
    },
    {
      what: 'searches of files',
      more: { tools: [{ type: 'file_search' }] },
      script: { file_searches: 3 },
      shows: ['file_searches'],
    },
    {
      what: 'code in two containers',
      more: CODE,
      script: { containers: 2, code_calls: 5 },
      shows: ['container_sessions'],
    },
    {
      what: 'a picture of a model that is left to the vendor',
      more: { tools: [{ type: 'image_generation' }] },
      shows: ['output_image'],
    },
    {
      what: 'a picture of another model',
      more: { tools: [DRAW] },
      script: { drawing: { output_image: 900 } },
      shows: ['output_image'],
    },
    {
      what: 'pictures that read pictures, some of them cached',
      more: { tools: [DRAW] },
      script: { drawing: { ...DRAWN, output_image: 1_000 } },
      shows: ['input_image', 'cache_read_image', 'output_image'],
    },
    {
      what: 'a picture that its vendor does not charge',
      more: { tools: [DRAW] },
      script: { drawing: {} },
      shows: [],
    },
    {
      what: 'a picture and searches in a tier',
      more: { tools: [...SEARCHES.tools, DRAW], service_tier: 'flex' },
      script: { searches: 2, drawing: { ...DRAWN, output_image: 700 } },
      shows: ['searches', 'output_image', 'flex'],
    },
    {
      what: 'all of it in a tier',
      more: { tools: [...SEARCHES.tools, { type: 'file_search' }, ...CODE.tools], service_tier: 'priority' },
      script: { searches: 2, file_searches: 1, containers: 1, code_calls: 2 },
      shows: ['searches', 'file_searches', 'container_sessions', 'priority'],
    },
  ],
  'anthropic-messages': [
    tokens(...CACHED, ...WRITTEN),
    HOURS,
    tier('priority'),
    inBatch(),
    unserved({ service_tier: 'priority' }),
    { what: 'faster inference', more: { speed: 'fast' }, shows: ['fast'] },
    { what: 'the region us', more: { inference_geo: 'us' }, shows: [] },
    { what: 'a region and a speed', more: { inference_geo: 'eu', speed: 'fast' }, shows: ['fast'] },
    { what: 'searches', more: { tools: [WEB_SEARCH] }, script: { searches: 5 }, shows: ['searches'] },
    { what: 'fetches', more: { tools: [WEB_FETCH] }, script: { fetches: 5 }, shows: ['fetches'] },
    {
      what: 'code',
      more: { tools: [CODE_EXECUTION] },
      script: { containers: 1, code_calls: 3 },
      shows: ['container_sessions'],
    },
    {
      what: 'all of it in a tier and a region',
      more: { tools: [WEB_SEARCH, WEB_FETCH, CODE_EXECUTION], service_tier: 'priority', inference_geo: 'us' },
      script: { searches: 2, fetches: 3 },
      shows: ['searches', 'fetches', 'container_sessions', 'priority'],
    },
  ],
  gemini: [
    tokens('cache_read', ...WRITTEN),
    tier('priority', { serviceTier: 'priority' }),
    tier('flex', { serviceTier: 'flex' }),
    inBatch({ serviceTier: 'batch' }),
    {
      what: 'a tier in the words of Vertex',
      more: { serviceTier: 'priority' },
      script: { traffic_type: true },
      shows: ['priority'],
    },
    unserved({ serviceTier: 'flex' }),
    {
      what: 'sound and pictures, some of them cached',
      more: { generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } },
      parts: [
        { inlineData: { mimeType: 'audio/wav', data: WAV } },
        { inlineData: { mimeType: 'image/png', data: PNG } },
      ],
      script: { usage: { ...SOUND, cache_read: 12, cached_audio: 5, cached_image: 4 } },
      shows: [
        'input_audio',
        'input_image',
        'cache_read',
        'cache_read_audio',
        'cache_read_image',
        'output_audio',
      ],
    },
    {
      what: 'a picture that the model draws',
      more: { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      script: { usage: DRAWN_OUT },
      shows: ['output_image'],
    },
    {
      what: 'queries',
      more: { tools: [{ googleSearch: {} }] },
      script: { searches: 4 },
      shows: ['searches'],
    },
    {
      what: 'queries in a tier',
      more: { tools: [{ googleSearch: {} }], serviceTier: 'flex' },
      script: { searches: 2 },
      shows: ['searches', 'flex'],
    },
  ],
};
