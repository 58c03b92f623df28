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
