import { type DialectCase, config, chat, responses, messages, gemini } from './dialect-case.ts';

export const LIMITS: readonly DialectCase[] = [
  {
    from: messages,
    to: chat,
    model: 'mistral-large-latest',
    asks: {},
    sends: { max_tokens: 20_000, max_completion_tokens: undefined },
  },
  {
    from: messages,
    to: chat,
    model: 'mistralai/devstral-small-2512',
    asks: {},
    sends: { max_tokens: 20_000, max_completion_tokens: undefined },
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-5',
    asks: {},
    sends: { max_tokens: undefined, max_completion_tokens: 20_000 },
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5',
    asks: { max_tokens: 1 },
    sends: { max_output_tokens: 16 },
    emulated: ['max_tokens'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5',
    asks: { max_tokens: 16 },
    sends: { max_output_tokens: 16 },
  },
];

export const SCHEMAS: readonly DialectCase[] = [
  {
    from: gemini,
    to: chat,
    model: 'deepseek-v4',
    asks: config({ responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } }),
    sends: { response_format: { type: 'json_object' } },
    emulated: ['generationConfig.responseSchema'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-3-7-sonnet-latest',
    asks: {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    },
    sends: { output_config: undefined },
    emulated: ['response_format'],
  },
];

export const FORMATS: readonly DialectCase[] = [
  {
    from: gemini,
    to: messages,
    model: 'claude-sonnet-5',
    asks: config({
      responseSchema: { type: 'OBJECT', properties: { n: { type: 'INTEGER', minimum: 1 } } },
    }),
    sends: {
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { n: { type: 'integer', description: 'Must hold: minimum 1.' } },
            additionalProperties: false,
          },
        },
      },
    },
    emulated: ['generationConfig.responseSchema'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: {
      tools: [
        {
          type: 'function',
          function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } },
        },
      ],
    },
    sends: {
      tools: [
        {
          name: 'f',
          strict: true,
          input_schema: { type: 'object', properties: {}, additionalProperties: false },
        },
      ],
    },
    emulated: ['tools'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: {
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: { type: 'object', properties: {}, minProperties: 1 } },
        },
      ],
    },
    sends: { tools: [{ name: 'f', input_schema: { type: 'object', properties: {}, minProperties: 1 } }] },
  },
  {
    from: gemini,
    to: chat,
    model: 'gpt-5.5',
    asks: config({ responseMimeType: 'application/json' }),
    sends: {
      response_format: { type: 'json_object' },
      messages: [
        { role: 'system', content: 'Answer with one JSON object and nothing else.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    emulated: ['generationConfig.responseMimeType'],
  },
  {
    from: gemini,
    to: chat,
    model: 'gpt-5.5',
    asks: {
      ...config({ responseMimeType: 'application/json' }),
      systemInstruction: { parts: [{ text: 'Speak Json.' }] },
    },
    sends: {
      messages: [
        { role: 'system', content: 'Speak Json.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
  },
  {
    from: gemini,
    to: responses,
    model: 'gpt-5.5',
    asks: {
      ...config({ responseMimeType: 'application/json' }),
      systemInstruction: { parts: [{ text: 'Speak Json.' }] },
    },
    sends: {
      input: [
        {
          type: 'message',
          role: 'developer',
          content: [{ type: 'input_text', text: 'Answer with one JSON object and nothing else.' }],
        },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    emulated: ['generationConfig.responseMimeType'],
  },
];
