import type { Provider } from '../provider.ts';

export const ollama: Provider = {
  name: 'ollama',
  title: 'Ollama',
  base_url: '{url}',
  fields: [
    {
      name: 'url',
      title: 'Address, with /v1',
      example: 'http://127.0.0.1:11434/v1',
      pattern: '^https?://[^\\s?#@]+$',
    },
  ],
  protocols: ['openai-chat'],
  ways: [
    { name: 'none', title: 'None', secret: 'none' },
    { name: 'key', title: 'API key' },
  ],
  own_machine: true,
  models: [],
};

export const vllm: Provider = {
  name: 'vllm',
  title: 'vLLM',
  base_url: '{url}',
  fields: [
    {
      name: 'url',
      title: 'Address, with /v1',
      example: 'http://127.0.0.1:8000/v1',
      pattern: '^https?://[^\\s?#@]+$',
    },
  ],
  protocols: ['openai-chat'],
  ways: [
    { name: 'none', title: 'None', secret: 'none' },
    { name: 'key', title: 'API key' },
  ],
  own_machine: true,
  models: [],
};

export const lmStudio: Provider = {
  name: 'lm-studio',
  title: 'LM Studio',
  base_url: '{url}',
  fields: [
    {
      name: 'url',
      title: 'Address, with /v1',
      example: 'http://127.0.0.1:1234/v1',
      pattern: '^https?://[^\\s?#@]+$',
    },
  ],
  protocols: ['openai-chat'],
  ways: [
    { name: 'none', title: 'None', secret: 'none' },
    { name: 'key', title: 'API key' },
  ],
  own_machine: true,
  models: [],
};

export const tgi: Provider = {
  name: 'tgi',
  title: 'Text Generation Inference',
  base_url: '{url}',
  fields: [
    {
      name: 'url',
      title: 'Address, with /v1',
      example: 'http://127.0.0.1:8080/v1',
      pattern: '^https?://[^\\s?#@]+$',
    },
  ],
  protocols: ['openai-chat'],
  ways: [
    { name: 'none', title: 'None', secret: 'none' },
    { name: 'key', title: 'API key' },
  ],
  own_machine: true,
  models: [],
};

/** It embeds and ranks, and asks nobody for a model: each runs the one that it was started with. */
export const tei: Provider = {
  name: 'tei',
  title: 'Text Embeddings Inference',
  base_url: '{url}',
  fields: [
    {
      name: 'url',
      title: 'Address, without /v1',
      example: 'http://127.0.0.1:8080',
      pattern: '^https?://[^\\s?#@]+$',
    },
  ],
  protocols: ['openai-chat'],
  paths: { 'openai-chat': { embed: '/v1/embeddings', rerank: '/rerank' } },
  task_formats: { rerank: 'tei' },
  max_inputs: 32,
  ways: [
    { name: 'none', title: 'None', secret: 'none' },
    { name: 'key', title: 'API key' },
  ],
  own_machine: true,
  note: 'A call has 32 texts at most, as long as the server is not started with another --max-client-batch-size.',
  models: [],
};

export const openaiCompatible: Provider = {
  name: 'openai-compatible',
  title: 'Any OpenAI-compatible server',
  base_url: '{url}',
  fields: [
    {
      name: 'url',
      title: 'Address, with /v1',
      example: 'http://127.0.0.1:8000/v1',
      pattern: '^https?://[^\\s?#@]+$',
    },
  ],
  protocols: ['openai-chat'],
  ways: [
    { name: 'none', title: 'None', secret: 'none' },
    { name: 'key', title: 'API key' },
  ],
  own_machine: true,
  models: [],
};
