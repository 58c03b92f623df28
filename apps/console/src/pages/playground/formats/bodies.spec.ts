import { type Answer, type Ask, NO_ANSWER, type Parameters } from './format.ts';
import { FORMAT_IDS } from './format-id.ts';
import { FORMATS } from './formats.ts';
import { LACKS, DEFAULT_SETTINGS, readSettings } from '../parameters.ts';

const tool = { name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } };
const called: Answer = {
  ...NO_ANSWER,
  text: 'Let me look.',
  calls: [{ id: 'call_1', name: 'get_weather', args: '{"city":"Paris"}' }],
};
const picture = { name: 'dot.png', type: 'image/png', base64: 'iVBORw==' };

const plain: Ask = {
  model: 'm',
  ...readSettings(DEFAULT_SETTINGS),
  maxTokens: null,
  turns: [{ role: 'user', text: 'Hello', pictures: [] }],
};
const full: Ask = {
  model: 'm',
  ...readSettings(DEFAULT_SETTINGS),
  system: 'Be brief.',
  temperature: 0,
  maxTokens: 64,
  tools: [tool],
  turns: [
    { role: 'user', text: 'What is this?', pictures: [picture] },
    // It was said in no format of these, so that each writes it in its own way.
    { role: 'assistant', answer: called, format: 'openai' },
    { role: 'tool', results: [{ id: 'call_1', name: 'get_weather', output: 'Rain' }] },
  ],
};

test('a plain question says no more than it must', () => {
  expect(FORMAT_IDS.map((id) => FORMATS[id].body(plain))).toEqual([
    {
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    },
    {
      model: 'm',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
      stream: true,
    },
    { model: 'm', max_tokens: 4_096, messages: [{ role: 'user', content: 'Hello' }], stream: true },
    { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  ]);
});

test('Chat Completions takes pictures, settings, tools and their results', () => {
  expect(FORMATS.openai.body(full)).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
        ],
      },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
    ],
    temperature: 0,
    max_completion_tokens: 64,
    tools: [{ type: 'function', function: tool }],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('Responses takes pictures, settings, tools and their results', () => {
  expect(FORMATS['openai-response'].body(full)).toMatchObject({
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw==', detail: 'auto' },
        ],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
    ],
    temperature: 0,
    max_output_tokens: 64,
    tools: [{ type: 'function', ...tool, strict: false }],
  });
});

test('Messages takes pictures, settings, tools and their results', () => {
  expect(FORMATS.anthropic.body(full)).toEqual({
    model: 'm',
    max_tokens: 64,
    system: 'Be brief.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
          { type: 'text', text: 'What is this?' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Rain' }] },
    ],
    temperature: 0,
    tools: [{ name: 'get_weather', description: 'Weather', input_schema: tool.parameters }],
    stream: true,
  });
});

test('Gemini takes pictures, settings, tools and their results, and has the model in its path', () => {
  expect(FORMATS.gemini.path('a/b')).toBe('/v1beta/models/a%2Fb:streamGenerateContent?alt=sse');
  expect(FORMATS.gemini.body(full)).toEqual({
    contents: [
      {
        role: 'user',
        parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }, { text: 'What is this?' }],
      },
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          { functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Paris' } } },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'call_1', name: 'get_weather', response: { output: 'Rain' } } }],
      },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: { temperature: 0, maxOutputTokens: 64 },
    tools: [
      {
        functionDeclarations: [
          { name: 'get_weather', description: 'Weather', parametersJsonSchema: tool.parameters },
        ],
      },
    ],
  });
});

test.each(['openai-response', 'anthropic', 'gemini'] as const)(
  'what %s said goes back as it came, to that format alone',
  (format) => {
    const native = [{ kind: 'opaque', signature: 'abc' }];
    const turns: Ask['turns'] = [
      { role: 'user', text: 'Hello', pictures: [] },
      { role: 'assistant', answer: { ...called, native }, format },
    ];
    for (const id of FORMAT_IDS) {
      const text = JSON.stringify(FORMATS[id].body({ ...plain, turns }));
      expect(text.includes('opaque')).toBe(id === format);
      expect(text.includes('Let me look.')).toBe(id !== format);
    }
  },
);

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } };
const set: Omit<Parameters, 'system' | 'tools' | 'temperature' | 'maxTokens'> = {
  topP: 0.9,
  stop: ['END'],
  seed: 7,
  presencePenalty: 0.1,
  frequencyPenalty: 0.2,
  effort: 'high',
  output: { schema: SCHEMA },
};

test('every format states the parameters in its own words', () => {
  const asked = FORMAT_IDS.map((id) => {
    const body = Object.entries(FORMATS[id].body({ ...plain, ...set }));
    const without = Object.keys(FORMATS[id].body(plain));
    return Object.fromEntries(body.filter(([name]) => !without.includes(name)));
  });
  expect(asked).toEqual([
    {
      top_p: 0.9,
      stop: ['END'],
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      reasoning_effort: 'high',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: SCHEMA, strict: true },
      },
    },
    {
      top_p: 0.9,
      reasoning: { effort: 'high', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true } },
    },
    {
      top_p: 0.9,
      stop_sequences: ['END'],
      output_config: { effort: 'high', format: { type: 'json_schema', schema: SCHEMA } },
    },
    {
      generationConfig: {
        topP: 0.9,
        stopSequences: ['END'],
        seed: 7,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
        responseMimeType: 'application/json',
        responseJsonSchema: SCHEMA,
      },
    },
  ]);
});

test.each(FORMAT_IDS)('what %s is said to lack is not sent, all else is', (id) => {
  for (const [name, value] of Object.entries(set)) {
    const isSent =
      JSON.stringify(FORMATS[id].body({ ...plain, [name]: value })) !==
      JSON.stringify(FORMATS[id].body(plain));
    expect([name, isSent]).toEqual([name, !LACKS[id].includes(name as keyof Parameters)]);
  }
});
