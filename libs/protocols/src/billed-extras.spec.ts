import type { ClientProtocol } from '@tollgate/vocabulary';
import type { BilledExtras } from './billed-extras.ts';
import { CODECS } from './index.ts';

type Row = [what: string, protocol: ClientProtocol, body: object, extras: BilledExtras | undefined];

const search = (action?: object) => ({ type: 'web_search_call', ...(action ? { action } : {}) });
const grounded = (queries: string[], modelVersion?: string) => ({
  candidates: [{ groundingMetadata: { webSearchQueries: queries } }],
  ...(modelVersion ? { modelVersion } : {}),
});

const bodies: Row[] = [
  ['Chat: the default tier is none', 'openai-chat', { service_tier: 'default' }, undefined],
  ['Chat: priority', 'openai-chat', { service_tier: 'priority' }, { serviceTier: 'priority' }],
  ['Chat: a tier in capitals', 'openai-chat', { service_tier: 'FLEX' }, { serviceTier: 'flex' }],
  ['Chat: a word that nobody knows', 'openai-chat', { service_tier: 'warp' }, { unknownTier: 'warp' }],
  [
    'Chat: no member of an object',
    'openai-chat',
    { service_tier: 'constructor' },
    { unknownTier: 'constructor' },
  ],
  [
    'Chat: searches of xAI',
    'openai-chat',
    { usage: { server_side_tool_usage_details: { web_search_calls: 3 } } },
    { units: { searches: 3 } },
  ],
  [
    'Chat: sources of older xAI',
    'openai-chat',
    { usage: { num_sources_used: 7 } },
    { units: { searches: 7 } },
  ],
  ['Chat: Perplexity', 'openai-chat', { usage: { num_search_queries: 2 } }, { units: { searches: 2 } }],
  [
    'Chat: OpenRouter',
    'openai-chat',
    { usage: { server_tool_use: { web_search_requests: 4 } } },
    { units: { searches: 4 } },
  ],
  [
    'Chat: a model that searches and says no number',
    'openai-chat',
    { choices: [{ message: { annotations: [{ type: 'url_citation' }, { type: 'url_citation' }] } }] },
    { units: { searches: 1 }, counted: ['searches'] },
  ],
  [
    'Responses: tools that did nothing are reported with zeros',
    'openai-responses',
    {
      tool_usage: {
        image_gen: {
          input_tokens: 0,
          input_tokens_details: { image_tokens: 0, text_tokens: 0 },
          output_tokens: 0,
          total_tokens: 0,
        },
        web_search: { num_requests: 0 },
      },
    },
    undefined,
  ],
  [
    'Responses: a shell in a container of the vendor, used twice, and one of the caller',
    'openai-responses',
    {
      output: [
        { type: 'shell_call', environment: { type: 'container_reference', container_id: 'cntr_1' } },
        { type: 'shell_call', environment: { type: 'container_reference', container_id: 'cntr_1' } },
        { type: 'shell_call', environment: { type: 'local' } },
        { type: 'shell_call', environment: null },
      ],
    },
    { units: { container_sessions: 1 }, counted: ['container_sessions'], containers: ['cntr_1'] },
  ],
  ['Responses: nothing', 'openai-responses', { output: [{ type: 'message' }] }, undefined],
  [
    'Responses: searches as reported, not as counted',
    'openai-responses',
    { tool_usage: { web_search: { num_requests: 10 } }, output: [search(), search()] },
    { units: { searches: 10 }, counted: [] },
  ],
  [
    'Responses: a report of no search',
    'openai-responses',
    { tool_usage: { web_search: { num_requests: 0 } }, output: [search()] },
    undefined,
  ],
  [
    'Responses: items where nothing is reported; to open a page is free',
    'openai-responses',
    {
      output: [
        search(),
        search({ type: 'search' }),
        search({ type: 'open_page' }),
        search({ type: 'find_in_page' }),
      ],
    },
    { units: { searches: 2 }, counted: ['searches'] },
  ],
  [
    'Responses: searches of files, and each container once',
    'openai-responses',
    {
      output: [
        { type: 'file_search_call' },
        { type: 'file_search_call' },
        { type: 'code_interpreter_call', container_id: 'a' },
        { type: 'code_interpreter_call', container_id: 'a' },
        { type: 'code_interpreter_call', container_id: 'b' },
      ],
    },
    {
      units: { file_searches: 2, container_sessions: 2 },
      counted: ['file_searches', 'container_sessions'],
      containers: ['a', 'b'],
    },
  ],
  [
    'Responses: the tool that draws is a model of its own',
    'openai-responses',
    {
      service_tier: 'priority',
      tools: [{ type: 'web_search' }, { type: 'image_generation', model: 'gpt-image-2' }],
      tool_usage: {
        image_gen: {
          input_tokens: 100,
          input_tokens_details: { text_tokens: 60, image_tokens: 40 },
          output_tokens: 6_208,
          total_tokens: 6_308,
        },
      },
    },
    {
      serviceTier: 'priority',
      units: {},
      others: [{ model: 'gpt-image-2', counts: { input: 60, input_image: 40, output_image: 6_208 } }],
    },
  ],
  [
    'Responses: what the tool that draws had cached, by kind',
    'openai-responses',
    {
      tool_usage: {
        image_gen: {
          input_tokens: 100,
          input_tokens_details: { text_tokens: 60, image_tokens: 40 },
          cached_tokens: 50,
          cached_tokens_details: { cached_text_tokens: 20, cached_image_tokens: 30 },
          output_tokens: 10,
          output_tokens_details: { image_tokens: 8, text_tokens: 2 },
        },
      },
    },
    {
      units: {},
      others: [
        {
          model: undefined,
          counts: {
            input: 40,
            input_image: 10,
            cache_read: 20,
            cache_read_image: 30,
            output: 2,
            output_image: 8,
          } as object,
        },
      ],
    },
  ],
  [
    'Messages: searches, fetches, tier and region',
    'anthropic-messages',
    {
      usage: {
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 3 },
        service_tier: 'priority',
        inference_geo: 'us',
      },
    },
    { serviceTier: 'priority', region: 'us', units: { searches: 2, fetches: 3 } },
  ],
  [
    'Messages: what costs what the list says',
    'anthropic-messages',
    { usage: { service_tier: 'standard', inference_geo: 'not_available', server_tool_use: null } },
    undefined,
  ],
  ['Messages: fast', 'anthropic-messages', { usage: { speed: 'fast' } }, { serviceTier: 'fast', units: {} }],
  [
    'Gemini: before 3 a prompt is charged once',
    'gemini',
    grounded(['a', 'b'], 'gemini-2.5-pro'),
    { units: { searches: 1 }, counted: ['searches'] },
  ],
  [
    'Gemini: since 3 every query is',
    'gemini',
    grounded(['a', 'b'], 'gemini-3-pro-preview'),
    { units: { searches: 2 }, counted: ['searches'] },
  ],
  [
    'Messages: code ran in a container',
    'anthropic-messages',
    { usage: { input_tokens: 1 }, container: { id: 'container_1' } },
    { units: { container_sessions: 1 }, counted: ['container_sessions'] },
  ],
  [
    'Gemini: places on maps',
    'gemini',
    { candidates: [{ groundingMetadata: { groundingChunks: [{ maps: { uri: 'x' } }] } }] },
    { units: { searches: 1 }, counted: ['searches'] },
  ],
  ['Gemini: grounded on nothing', 'gemini', grounded([]), undefined],
  [
    'Gemini: tier of the Gemini API',
    'gemini',
    { usageMetadata: { serviceTier: 'PRIORITY' } },
    { serviceTier: 'priority' },
  ],
  [
    'Gemini: traffic of Vertex',
    'gemini',
    { usageMetadata: { trafficType: 'PROVISIONED_THROUGHPUT' } },
    { serviceTier: 'reserved' },
  ],
  ['Gemini: ordinary traffic', 'gemini', { usageMetadata: { trafficType: 'ON_DEMAND' } }, undefined],
];

test.each(bodies)('%s', (_what, protocol, body, extras) => {
  expect(CODECS[protocol].extras.findInBody(body)).toEqual(extras);
});

test.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const)(
  '%s: what is no answer bills nothing',
  (protocol) => {
    for (const body of [undefined, null, 1, 'x', [], {}, { usage: null, output: {}, candidates: 'x' }])
      expect(CODECS[protocol].extras.findInBody(body)).toBeUndefined();
  },
);
