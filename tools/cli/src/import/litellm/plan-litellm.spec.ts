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
      base_url: 'https://api.openai.com/v1',
      credentials: [{ secret_env: 'OPENAI_KEY' }],
      limits: { requests_per_minute: 100 },
    },
    { base_url: 'http://10.0.0.7:8000/v1', protocols: ['openai-chat'], allow_private_addresses: true },
    { base_url: 'https://api.anthropic.com', protocols: ['anthropic-messages'] },
  ]);
  expect([...move.secrets]).toEqual([['MOVED_LITELLM_2', 'plain-text']]);
});

test('fallbacks stand in where both models came over, and what did not is noted', () => {
  expect(move.catalogue.groups).toMatchObject([
    { name: 'team', models: ['chat', 'helper'], fallbacks: { chat: ['helper'] } },
  ]);
  expect(move.notes.join('\n')).toMatch(
    /"cloud": left out[^]*model unpriced: left out[^]*fallbacks of unpriced: left out/,
  );
});

const find = (params: object, env: Record<string, string> = {}) =>
  findProvider(params as Parameters<typeof findProvider>[0], env);

test.each<[object, string]>([
  [{ model: 'gpt-5' }, 'https://api.openai.com/v1'],
  [{ model: 'groq/llama' }, 'https://api.groq.com/openai/v1'],
  [{ model: 'openai/own', api_base: 'http://vllm:8000/v1' }, 'http://vllm:8000/v1'],
  [{ model: 'zai/glm-5', api_base: 'os.environ/GLM_BASE' }, 'https://glm.example/api/v4'],
  [{ model: 'volcengine/ep-1' }, 'https://ark.cn-beijing.volces.com/api/v3'],
])('%j is sent to %s', (params, base_url) => {
  expect(find(params, { GLM_BASE: 'https://glm.example/api/v4' })).toMatchObject({ upstream: { base_url } });
});

const KEYS = { aws_access_key_id: 'AK', aws_secret_access_key: 'os.environ/AWS_SECRET' };
const ACCOUNT = JSON.stringify({ type: 'service_account', project_id: 'acme-prod' });
const SERVICE = 'https://bedrock-runtime.eu-west-1.amazonaws.com';

test.each<[what: string, params: object, expected: object]>([
  [
    'an Azure deployment of a version',
    { model: 'azure/gpt', api_base: 'https://x.openai.azure.com/', api_version: '2025-01-01', api_key: 'k' },
    {
      model: 'gpt',
      upstream: {
        base_url: 'https://x.openai.azure.com',
        auth: { kind: 'static', header: 'api-key' },
        paths: {
          'openai-chat': {
            generate: '/openai/deployments/{model}/chat/completions?api-version=2025-01-01',
          },
        },
      },
    },
  ],
  [
    'an app of Entra, whose values are in the environment',
    { model: 'azure/gpt', api_base: 'https://x.openai.azure.com', api_version: 'v1' },
    {
      secret: 'app-secret',
      upstream: {
        base_url: 'https://x.openai.azure.com/openai/v1',
        auth: { kind: 'azure', tenant_id: 'acme.example', client_id: 'app' },
      },
    },
  ],
  [
    "Anthropic's models of Foundry",
    { model: 'azure_ai/claude-x', api_base: 'https://x.services.ai.azure.com/anthropic', api_key: 'k' },
    {
      upstream: { base_url: 'https://x.services.ai.azure.com/anthropic', protocols: ['anthropic-messages'] },
    },
  ],
  [
    "Anthropic's models of Bedrock, with keys",
    { model: 'bedrock/us.anthropic.claude-x-v1:0', aws_region_name: 'eu-west-1', ...KEYS },
    {
      model: 'us.anthropic.claude-x-v1:0',
      secret: '{"access_key_id":"AK","secret_access_key":"hidden"}',
      upstream: { base_url: SERVICE, wrapping: { 'anthropic-messages': 'bedrock' } },
    },
  ],
  [
    'Converse, in a role that is assumed by the own identity',
    {
      model: 'bedrock/converse/us.anthropic.claude-x-v1:0',
      aws_region_name: 'os.environ/REGION',
      aws_role_name: 'arn:aws:iam::123456789012:role/bedrock',
      aws_external_id: 'ours',
      aws_session_name: 'litellm',
    },
    {
      secret: 'ambient',
      leftOut: ['aws_session_name'],
      upstream: {
        protocols: ['bedrock-converse'],
        auth: { kind: 'aws', role_arn: 'arn:aws:iam::123456789012:role/bedrock', external_id: 'ours' },
      },
    },
  ],
  [
    'Gemini on Vertex',
    { model: 'vertex_ai/gemini-x', vertex_credentials: ACCOUNT, vertex_location: 'global' },
    {
      secret: ACCOUNT,
      upstream: {
        base_url:
          'https://aiplatform.googleapis.com/v1/projects/acme-prod/locations/global/publishers/google',
      },
    },
  ],
  [
    'Claude on Vertex, by the own identity',
    { model: 'vertex_ai/claude-x', vertex_project: 'acme-prod', vertex_location: 'europe-west1' },
    { secret: 'ambient', upstream: { wrapping: { 'anthropic-messages': 'vertex' } } },
  ],
])('%s comes over', (_what, params, expected) => {
  const env = {
    AWS_SECRET: 'hidden',
    REGION: 'eu-west-1',
    AZURE_TENANT_ID: 'acme.example',
    AZURE_CLIENT_ID: 'app',
    AZURE_CLIENT_SECRET: 'app-secret',
  };
  expect(find(params, env)).toMatchObject(expected);
});

test.each<[object, string]>([
  [{ model: 'bedrock/anthropic.x' }, 'it names no aws_region_name'],
  [{ model: 'bedrock/x', aws_region_name: 'os.environ/GONE' }, 'GONE is not set'],
  [{ model: 'azure/x' }, 'it names no api_base'],
  [
    { model: 'vertex_ai/x', vertex_project: 'p-1234', vertex_credentials: '/key.json' },
    'are a file, /key.json',
  ],
  [{ model: 'elevenlabs/x' }, 'its provider is elevenlabs: it makes pictures, sound or video'],
  [{ model: 'brand_new/x' }, 'its provider is brand_new: its address is not known here'],
])('why %j is left out is said', (params, why) => {
  expect(find(params)).toContain(why);
});

test('every provider that LiteLLM has comes over or is left out for a reason of its own', () => {
  const params = {
    api_base: 'https://x.example',
    api_key: 'k',
    aws_region_name: 'eu-west-1',
    vertex_project: 'acme-prod',
  };
  const outcomes = LITELLM_PROVIDERS.map((name) => [name, find({ ...params, model: `${name}/m` })] as const);
  const unknown = outcomes.filter(([name, found]) => found === `its provider is ${name}: undefined`);
  expect(unknown).toEqual([]);
  const moved = outcomes.filter(([, found]) => typeof found !== 'string').map(([name]) => name);
  expect(moved.length).toBeGreaterThanOrEqual(40);
  for (const [name, found] of outcomes)
    if (typeof found === 'string') expect([name, found]).toEqual([name, expect.stringContaining(name)]);
});

/** Of its list `LlmProviders`. */
const LITELLM_PROVIDERS =
  `openai openai_like jina_ai xai custom_openai text-completion-openai cohere cohere_chat clarifai
  anthropic anthropic_text bytez replicate runwayml huggingface together_ai openrouter datarobot vertex_ai vertex_ai_beta
  gemini ai21 baseten azure azure_text azure_ai sagemaker sagemaker_chat bedrock vllm nlp_cloud petals oobabooga ollama
  ollama_chat deepinfra perplexity mistral milvus groq nvidia_nim cerebras ai21_chat volcengine codestral
  text-completion-codestral dashscope moonshot v0 morph lambda_ai deepseek sambanova maritalk voyage cloudflare xinference
  fireworks_ai friendliai featherless_ai watsonx watsonx_text triton predibase databricks empower github compactifai
  docker_model_runner custom litellm_proxy hosted_vllm llamafile lm_studio galadriel nebius infinity deepgram elevenlabs
  novita aiohttp_openai langfuse humanloop topaz assemblyai github_copilot snowflake gradient_ai meta_llama nscale
  pg_vector hyperbolic recraft fal_ai heroku aiml cometapi oci auto_router vercel_ai_gateway dotprompt wandb ovhcloud
  lemonade`.split(/\s+/);

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

test('prices that have nothing like them here are noted by their names', () => {
  const { catalogue, notes } = priced(
    'input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 1e-5, vector_store_cost_per_gb_per_day: 0.1, max_tokens: 5',
  );
  expect(catalogue.models).not.toMatchObject([{ service_tiers: {} }]);
  expect(notes.filter((note) => note.startsWith('model m'))).toEqual([
    'model m: prices of the tier flex are left out: no one share of the others says them',
    'model m: left out, for there is nothing like it here: vector_store_cost_per_gb_per_day',
  ]);
});
