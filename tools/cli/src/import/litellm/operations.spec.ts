import { parseYaml } from '../../catalogue/read-file.ts';
import { liteLlmConfig } from './config.ts';
import { planLiteLlm } from './plan-litellm.ts';

const TASKS = `
model_list:
  - model_name: embed-small
    litellm_params: { model: text-embedding-3-small, api_key: os.environ/K, input_cost_per_token: 2e-8 }
    model_info: { mode: embedding }
  - model_name: nomic
    litellm_params: { model: ollama/nomic-embed-text, input_cost_per_token: 0 }
  - model_name: rank
    litellm_params: { model: cohere/rerank-v3.5, api_key: os.environ/K }
    model_info: { mode: rerank, input_cost_per_query: 0.002 }
  - model_name: guard
    litellm_params: { model: openai/omni-moderation-latest, api_key: os.environ/K, input_cost_per_token: 0 }
    model_info: { mode: moderation }
  - model_name: deployed
    litellm_params: { model: azure/large, api_base: "https://x.openai.azure.com", api_version: 2025-01-01, api_key: k, input_cost_per_token: 1e-7 }
    model_info: { mode: embedding }
  - model_name: titan
    litellm_params: { model: bedrock/amazon.titan-embed-text-v2:0, aws_region_name: eu-west-1, input_cost_per_token: 1e-7 }
  - model_name: named-embed-but-chats
    litellm_params: { model: openai/chatty, api_key: os.environ/K, mode: chat, input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 }
  - model_name: draw
    litellm_params: { model: openai/gpt-image-1, api_key: os.environ/K }
    model_info: { mode: image_generation, input_cost_per_token: 5e-6 }
  - model_name: draw-by-token
    litellm_params: { model: openai/gpt-image-2, api_key: os.environ/K }
    model_info: { mode: image_generation, input_cost_per_token: 5e-6, output_cost_per_image_token: 3e-5 }
  - model_name: draw-by-picture
    litellm_params: { model: openai/painter, api_key: os.environ/K }
    model_info: { mode: image_generation, output_cost_per_image: 0.04 }
  - model_name: write
    litellm_params: { model: openai/gpt-3.5-turbo-instruct, api_key: os.environ/K }
    model_info: { mode: completion, input_cost_per_token: 1.5e-6, output_cost_per_token: 2e-6 }
  - model_name: write-for-nothing
    litellm_params: { model: openai/davinci-002, api_key: os.environ/K }
    model_info: { mode: completion, input_cost_per_token: 1.5e-6 }
  - model_name: hear
    litellm_params: { model: whisper-1, api_key: os.environ/K, input_cost_per_second: 1e-4 }
    model_info: { mode: audio_transcription }
  - model_name: talk
    litellm_params: { model: openai/gpt-realtime, api_key: os.environ/K }
    model_info: { mode: realtime, input_cost_per_token: 4e-6, input_cost_per_audio_token: 3.2e-5, output_cost_per_token: 1.6e-5, output_cost_per_audio_token: 6.4e-5 }
  - model_name: talk-deployed
    litellm_params: { model: azure/voice, api_base: "https://x.openai.azure.com", api_version: 2024-10-01-preview, api_key: k }
    model_info: { mode: realtime, input_cost_per_token: 4e-6, output_cost_per_token: 1.6e-5 }
  - model_name: talk-live
    litellm_params: { model: gemini/gemini-live, api_key: os.environ/K }
    model_info: { mode: realtime, input_cost_per_token: 4e-6, output_cost_per_token: 1.6e-5 }
  - model_name: speak
    litellm_params: { model: openai/odd, api_key: os.environ/K }
    model_info: { mode: video_generation }
`;

test('a model is for what its mode says, or else its name, and left out where that is not served', () => {
  const { catalogue, notes } = planLiteLlm(parseYaml(TASKS, 'config.yaml', liteLlmConfig), 'team');
  expect(
    catalogue.models.map(({ name, operations, prices, unit_prices }) => [
      name,
      operations,
      [prices.input, prices.output],
      unit_prices,
    ]),
  ).toEqual([
    ['embed-small', ['embed'], [20_000, 0], undefined],
    ['nomic', ['embed'], [0, 0], undefined],
    ['rank', ['rerank'], [0, 0], { rerank_units: 2_000_000_000 }],
    ['guard', ['moderate'], [0, 0], undefined],
    ['deployed', ['embed'], [100_000, 0], undefined],
    ['named-embed-but-chats', undefined, [1_000_000, 1_000_000], undefined],
    ['draw-by-token', ['draw'], [5_000_000, 0], undefined],
    ['draw-by-picture', ['draw'], [0, 0], { images: 40_000_000_000 }],
    ['write', ['complete'], [1_500_000, 2_000_000], undefined],
    ['hear', ['transcribe'], [0, 0], { audio_milliseconds: 100_000 }],
    ['talk', ['realtime'], [4_000_000, 16_000_000], undefined],
    ['talk-deployed', ['realtime'], [4_000_000, 16_000_000], undefined],
  ]);
  const upstreams = new Map(catalogue.upstreams.map((each) => [each.name, each]));
  expect(upstreams.get('litellm-rank-3')).toMatchObject({
    base_url: 'https://api.cohere.com',
    task_formats: { rerank: 'cohere' },
  });
  expect(upstreams.get('litellm-deployed-5')?.paths).toMatchObject({
    'openai-chat': { embed: '/openai/deployments/{model}/embeddings?api-version=2025-01-01' },
  });
  expect(upstreams.get('litellm-talk-deployed-15')?.paths).toMatchObject({
    'openai-chat': { realtime: '/openai/v1/realtime' },
  });
  const text = notes.join('\n');
  expect(text).toContain('model nomic: is for embeddings by its name; where it is not, write its mode');
  expect(text).toContain('"titan": left out, it cannot be asked for embeddings here');
  expect(text).toContain('"talk-live": left out, it cannot be asked for realtime sessions here');
  expect(text).toContain('model speak: left out, its mode is video_generation, which is not served yet');
  // Nothing is given away for want of a price.
  expect(text).toMatch(/model draw: left out, the file has no /);
  expect(text).toMatch(/model write-for-nothing: left out, the file has no /);
  expect(text).not.toMatch(/model (?:embed-small|guard|rank|deployed|named-embed-but-chats):/);
});
