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
