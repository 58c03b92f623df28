import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completePriceList } from '@tollgate/catalogue';
import { parseYaml } from '../../catalogue/read-file.ts';
import { liteLlmConfig } from './config.ts';
import { planLiteLlm } from './plan-litellm.ts';
import { readPriceMap, withPriceMap } from './price-map.ts';

/** A part of LiteLLM's map, in USD for a token, a second, a character or a query. */
const MAP = {
  sample_spec: { input_cost_per_token: 0, mode: 'one of chat, embedding, …' },
  'gpt-4o': {
    input_cost_per_token: 2.5e-6,
    output_cost_per_token: 1e-5,
    cache_read_input_token_cost: 1.25e-6,
    max_tokens: 16384,
    supports_vision: true,
    mode: 'chat',
  },
  'gpt-3.5-turbo': { input_cost_per_token: 5e-7, output_cost_per_token: 1.5e-6, mode: 'chat' },
  'azure/gpt-4.1-mini': { input_cost_per_token: 4.4e-7, output_cost_per_token: 1.76e-6, mode: 'chat' },
  'claude-sonnet-4-20250514': {
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_read_input_token_cost: 3e-7,
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    mode: 'chat',
  },
  'anthropic.claude-3-5-sonnet-20240620-v1:0': {
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    mode: 'chat',
  },
  'gemini-2.5-pro': {
    input_cost_per_token: 1.25e-6,
    output_cost_per_token: 1e-5,
    input_cost_per_token_above_200k_tokens: 2.5e-6,
    output_cost_per_token_above_200k_tokens: 1.5e-5,
    mode: 'chat',
  },
  'groq/llama-3.3-70b-versatile': {
    input_cost_per_token: 5.9e-7,
    output_cost_per_token: 7.9e-7,
    mode: 'chat',
  },
  'mistral/mistral-large-latest': {
    input_cost_per_token: 2e-6,
    output_cost_per_token: 6e-6,
    mode: 'chat',
  },
  'text-embedding-3-small': { input_cost_per_token: 2e-8, output_cost_per_token: 0, mode: 'embedding' },
  'whisper-1': { input_cost_per_second: 1e-4, output_cost_per_second: 1e-4, mode: 'audio_transcription' },
  'tts-1': { input_cost_per_character: 1.5e-5, mode: 'audio_speech' },
};

/** Deployments as its documentation shows them, page by page: none but two says what it costs. */
const CONFIG = `
model_list:
  - { model_name: gpt-4o, litellm_params: { model: gpt-4o, api_key: os.environ/K } }
  - { model_name: gpt-3.5-turbo, litellm_params: { model: openai/gpt-3.5-turbo, api_key: os.environ/K, rpm: 480 } }
  - model_name: azure-mini
    litellm_params: { model: azure/my-deployment, api_base: "https://x.openai.azure.com", api_key: k, api_version: "2025-01-01" }
    model_info: { base_model: azure/gpt-4.1-mini }
  - { model_name: sonnet, litellm_params: { model: anthropic/claude-sonnet-4-20250514, api_key: os.environ/A } }
  - model_name: bedrock-sonnet
    litellm_params: { model: bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0, aws_region_name: us-east-1 }
  - model_name: vertex-pro
    litellm_params: { model: vertex_ai/gemini-2.5-pro, vertex_project: acme-prod, vertex_location: us-central1 }
  - { model_name: llama, litellm_params: { model: groq/llama-3.3-70b-versatile, api_key: os.environ/G } }
  - { model_name: large, litellm_params: { model: mistral-large-latest, custom_llm_provider: mistral, api_key: k } }
  - { model_name: embed, litellm_params: { model: text-embedding-3-small, api_key: os.environ/K } }
  - { model_name: hear, litellm_params: { model: whisper-1, api_key: os.environ/K } }
  - { model_name: say, litellm_params: { model: openai/tts-1, api_key: os.environ/K } }
  - model_name: own-price
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/K, input_cost_per_token: 0.000004, output_cost_per_token: 12e-6 }
  - { model_name: own-server, litellm_params: { model: openai/own, api_base: "http://10.0.0.7:8000/v1", api_key: none } }
  - { model_name: "anthropic/*", litellm_params: { model: "anthropic/*", api_key: os.environ/A } }
`;
const { catalogue, notes } = planLiteLlm(
  withPriceMap(parseYaml(CONFIG, 'config.yaml', liteLlmConfig), MAP),
  'team',
);
const usd = (micro: number | undefined) => String((micro ?? Number.NaN) / 1e6);

test('every model costs what the map says, or what the file says before it', () => {
  const rows = catalogue.models.map((model) => {
    const { prices } = completePriceList(model);
    const kinds = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;
    return [model.name, kinds.map((kind) => usd(prices[kind])).join(' ')];
  });
  expect(rows).toEqual([
    ['gpt-4o', '2.5 10 1.25 2.5 2.5'],
    ['gpt-3.5-turbo', '0.5 1.5 0.5 0.5 0.5'],
    ['azure-mini', '0.44 1.76 0.44 0.44 0.44'],
    ['sonnet', '3 15 0.3 3.75 6'],
    ['bedrock-sonnet', '3 15 3 3 3'],
    ['vertex-pro', '1.25 10 1.25 1.25 1.25'],
    ['llama', '0.59 0.79 0.59 0.59 0.59'],
    ['large', '2 6 2 2 2'],
    ['embed', '0.02 0 0.02 0.02 0.02'],
    ['hear', '0 0 0 0 0'],
    ['say', '0 0 0 0 0'],
    // The rest of its list is the map's.
    ['own-price', '4 12 1.25 4 4'],
  ]);
  const find = (name: string) => catalogue.models.find((model) => model.name === name);
  // 0.0001 USD a second is 0.1 USD for a million milliseconds.
  expect(find('hear')?.unit_prices).toEqual({ audio_milliseconds: 100_000 });
  expect(find('say')?.unit_prices).toEqual({ characters: 15_000_000 });
  expect(find('vertex-pro')?.tiers).toMatchObject([
    { above_input_tokens: 200_000, prices: { input: 2_500_000, output: 15_000_000 } },
  ]);
});

test('what the map does not know and patterns of names are left out, each with a note', () => {
  const left = notes.filter((note) => /: left out, (?!for there)/.test(note));
  expect(left).toEqual([
    'deployment 14 "anthropic/*": left out, a pattern names no model; list those that are used',
    expect.stringMatching(/^model own-server: left out, the file has no input_cost.* with --prices$/),
  ]);
});

test('a file that is no map is refused', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-map-'));
  const path = join(directory, 'map.json');
  writeFileSync(path, '[]');
  expect(() => readPriceMap(path)).toThrow(`${path} is no map of prices`);
  writeFileSync(path, JSON.stringify(MAP));
  expect(readPriceMap(path)).toEqual(MAP);
  rmSync(directory, { recursive: true });
});
