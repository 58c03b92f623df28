import { parseYaml } from '../../catalogue/read-file.ts';
import { liteLlmConfig } from './config.ts';
import { planLiteLlm } from './plan-litellm.ts';
import { findProvider } from './providers.ts';

const CONFIG = `
model_list:
  - model_name: chat
    litellm_params: { model: openai/gpt-5, api_key: os.environ/OPENAI_KEY, weight: 3, input_cost_per_token: 0.00000125,
      output_cost_per_token: 1e-5, rpm: 100 }
  - model_name: chat
    litellm_params: { model: openai/gpt-5, api_base: "http://10.0.0.7:8000/v1", api_key: plain-text, order: 2 }
  - model_name: helper
    litellm_params: { model: claude-haiku, api_key: os.environ/ANTHROPIC_KEY }
    model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000005 }
  - model_name: unpriced
    litellm_params: { model: deepseek/deepseek-chat, api_key: os.environ/X }
  - model_name: cloud
    litellm_params: { model: bedrock/some-model, input_cost_per_token: 1, output_cost_per_token: 1 }
router_settings:
  fallbacks: [{ chat: [helper, cloud] }, { unpriced: [chat] }]
`;
const move = planLiteLlm(parseYaml(CONFIG, 'config.yaml', liteLlmConfig), 'team');

test('models have the prices of the file, in whole micro-USD for a million tokens', () => {
  expect(move.catalogue.models.map(({ name, prices }) => [name, prices])).toEqual([
    ['chat', { input: 1_250_000, output: 10_000_000 }],
    ['helper', { input: 1_000_000, output: 5_000_000 }],
  ]);
});

test('deployments of a model are the members of its pool, by order and weight, under the names of their providers', () => {
  expect(move.catalogue.pools[0]).toMatchObject({
    groups: ['team'],
    models: ['chat'],
    members: [
      { upstream: 'litellm-chat-1', priority: 0, weight: 3, model_map: { chat: 'gpt-5' } },
      { upstream: 'litellm-chat-2', priority: 1, weight: 1, model_map: { chat: 'gpt-5' } },
    ],
  });
  expect(move.catalogue.upstreams).toMatchObject([
    {
      base_url: 'https://api.openai.com',
      credentials: [{ secret_env: 'OPENAI_KEY' }],
      limits: { requests_per_minute: 100 },
    },
    { base_url: 'http://10.0.0.7:8000/v1', protocols: ['openai-chat'], allow_private_addresses: true },
    { base_url: 'https://api.anthropic.com', protocols: ['anthropic-messages'] },
  ]);
  expect([...move.secrets]).toEqual([['MOVED_LITELLM_2', 'plain-text']]);
});

test('fallbacks stand in where both models came over, and what did not is told', () => {
  expect(move.catalogue.groups).toMatchObject([
    { name: 'team', models: ['chat', 'helper'], fallbacks: { chat: ['helper'] } },
  ]);
  expect(move.notes.join('\n')).toMatch(
    /"cloud": left out[^]*model unpriced: left out[^]*fallbacks of unpriced: left out/,
  );
});

test.each<[string, string | undefined, string | undefined]>([
  ['gpt-5', undefined, 'https://api.openai.com'],
  ['groq/llama', undefined, 'https://api.groq.com/openai'],
  ['openai/own', 'http://vllm:8000/v1', 'http://vllm:8000/v1'],
  ['azure/gpt', 'https://x.openai.azure.com', undefined],
  ['vertex_ai/gemini', undefined, undefined],
])('%s at %s is sent to %s', (model, base, url) => {
  expect(findProvider(model, base)?.base_url).toBe(url);
});

const priced = (fields: string) =>
  planLiteLlm(
    parseYaml(
      `
model_list:
  - model_name: m
    litellm_params: { model: openai/m, api_key: os.environ/K, input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 }
    model_info: { ${fields} }
`,
      'config.yaml',
      liteLlmConfig,
    ),
    'team',
  );

test.each<[string, string, object]>([
  [
    'every kind of token',
    'cache_read_input_token_cost: 3e-7, cache_read_input_audio_token_cost: 4e-7, cache_creation_input_token_cost: 3.75e-6, cache_creation_input_token_cost_above_1hr: 6e-6, input_cost_per_audio_token: 1e-5, output_cost_per_audio_token: 2e-5, output_cost_per_reasoning_token: 1.6e-5',
    {
      prices: {
        cache_read: 300_000,
        cache_read_audio: 400_000,
        cache_write: 3_750_000,
        cache_write_1h: 6_000_000,
        input_audio: 10_000_000,
        output_audio: 20_000_000,
        output_reasoning: 16_000_000,
      },
    },
  ],
  [
    'searches by the most expensive, and other tools',
    'search_context_cost_per_query: { search_context_size_low: 0.01, search_context_size_high: 0.025 }, file_search_cost_per_1k_calls: 2.5, code_interpreter_cost_per_session: 0.03',
    {
      unit_prices: {
        searches: 25_000_000_000,
        file_searches: 2_500_000_000,
        container_sessions: 30_000_000_000,
      },
      features: { web_search: 'priced', file_search: 'priced', code_execution: 'priced' },
    },
  ],
  [
    'tiers that are one share of the prices',
    'input_cost_per_token_priority: 6e-6, output_cost_per_token_priority: 3e-5, input_cost_per_token_batches: 1.5e-6, output_cost_per_token_batches: 7.5e-6, provider_specific_entry: { us: 1.1, fast: 6 }',
    {
      service_tiers: { priority: '2', batch: '0.5', fast: '6' },
      regions: { us: '1.1' },
      features: { service_tier: 'priced', speed: 'priced', inference_geo: 'priced' },
    },
  ],
  [
    'other prices above a length of input',
    'input_cost_per_token_above_200k_tokens: 6e-6, output_cost_per_token_above_200k_tokens: 2.25e-5',
    {
      tiers: [{ above_input_tokens: 200_000, prices: { input: 6_000_000, output: 22_500_000 } }],
    },
  ],
])('%s come over', (_what, fields, expected) => {
  const { catalogue, notes } = priced(fields);
  expect(catalogue.models).toMatchObject([expected]);
  expect(notes.join('\n')).not.toMatch(/left out/);
});

test('prices that have nothing like them here are told by their names', () => {
  const { catalogue, notes } = priced(
    'input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 1e-5, vector_store_cost_per_gb_per_day: 0.1, max_tokens: 5',
  );
  expect(catalogue.models).not.toMatchObject([{ service_tiers: {} }]);
  expect(notes.filter((note) => note.startsWith('model m'))).toEqual([
    'model m: prices of the tier flex are left out: no one share of the others says them',
    'model m: left out, for there is nothing like it here: vector_store_cost_per_gb_per_day',
  ]);
});
