import fc from 'fast-check';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { boundTokens, estimateRequestTokens } from './index.ts';

const chat = (content: unknown, rest: object = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...rest,
});
const base64 = Buffer.alloc(300_000, 'picture').toString('base64');

test('every byte of text counts, in any script, however it is nested', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }), (text, input) => {
      const body = chat([{ type: 'text', text }], {
        tools: [{ type: 'function', function: { name: 'f', parameters: input } }],
      });
      const bound = boundTokens(body, null);
      expect(bound.input).toBeGreaterThanOrEqual(
        Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(input)) / 2,
      );
      expect(bound.input).toBeGreaterThan(estimateRequestTokens('openai-chat', body));
    }),
  );
});

test('no request reads more than the context window', () => {
  expect(boundTokens(chat('x'.repeat(50_000)), 8_000).input).toBe(8_000);
  expect(boundTokens(chat('x'.repeat(50_000)), null).input).toBeGreaterThan(50_000);
});

test.each<[string, ClientProtocol, object]>([
  [
    'a Chat picture',
    'openai-chat',
    chat([{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }]),
  ],
  [
    'a Chat sound',
    'openai-chat',
    chat([{ type: 'input_audio', input_audio: { data: base64, format: 'wav' } }]),
  ],
  [
    'a Responses picture',
    'openai-responses',
    {
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${base64}` }] },
      ],
    },
  ],
  [
    'a Responses document',
    'openai-responses',
    {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` },
          ],
        },
      ],
    },
  ],
  [
    'a Messages picture',
    'anthropic-messages',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }],
        },
      ],
    },
  ],
  [
    'a Gemini picture',
    'gemini',
    { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }] }] },
  ],
])('%s counts as a medium, not as text', (_name, _protocol, body) => {
  const { input } = boundTokens({ ...body }, null);
  expect(input).toBeGreaterThan(base64.length / 32);
  expect(input).toBeLessThan(base64.length / 16);
});

test('a tiny picture counts what a picture counts at least', () => {
  const body = chat([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }]);
  expect(boundTokens(body, null).input).toBeGreaterThan(4_096);
});

test.each<[string, ClientProtocol, object]>([
  [
    'the arguments of a call',
    'anthropic-messages',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: 't',
              name: 'f',
              input: { type: 'base64', media_type: 'image/png', data: base64 },
            },
          ],
        },
      ],
    },
  ],
  [
    'the result of a function',
    'gemini',
    {
      contents: [
        {
          parts: [{ functionResponse: { name: 'f', response: { mimeType: 'image/png', data: base64 } } }],
        },
      ],
    },
  ],
  [
    'a text document',
    'gemini',
    { contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data: base64 } }] }] },
  ],
])('%s counts as text, whatever it looks like', (_name, _protocol, body) => {
  expect(boundTokens({ ...body }, null).input).toBeGreaterThan(base64.length);
});

test.each<[string, ClientProtocol, object]>([
  ['an earlier answer', 'openai-responses', { input: 'Hi', previous_response_id: 'resp_1' }],
  ['an item kept elsewhere', 'openai-responses', { input: [{ type: 'item_reference', id: 'i' }] }],
  [
    'a picture by its address',
    'openai-chat',
    chat([{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }]),
  ],
  ['a sound of before', 'openai-chat', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
  [
    'a file',
    'openai-responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
  ],
  [
    'a cached prompt',
    'gemini',
    { contents: [{ parts: [{ text: 'Hi' }] }], cachedContent: 'cachedContents/1' },
  ],
  [
    'a search by the upstream',
    'anthropic-messages',
    { messages: [], tools: [{ type: 'web_search_20250305' }] },
  ],
  ['a search by Gemini', 'gemini', { contents: [], tools: [{ googleSearch: {} }] }],
])('%s may fill the whole context window', (_name, _protocol, body) => {
  expect(boundTokens({ ...body }, 128_000).input).toBe(128_000);
  expect(boundTokens({ ...body }, null).input).toBe(200_000);
});

test.each<[string, ClientProtocol, object]>([
  [
    'Chat',
    'openai-chat',
    { tools: [{ type: 'function', function: { name: 'f', parameters: { url: { type: 'string' } } } }] },
  ],
  [
    'Messages',
    'anthropic-messages',
    { tools: [{ name: 'f', input_schema: { properties: { file_id: {} } } }] },
  ],
  ['Gemini', 'gemini', { tools: [{ functionDeclarations: [{ name: 'f' }] }] }],
])('tools that the caller runs are text alone: %s', (_name, _protocol, body) => {
  // With what vendors put before tools unseen.
  expect(boundTokens({ ...body }, 128_000).input).toBeLessThan(2_000);
});

test.each<[ClientProtocol, object, boolean]>([
  ['openai-chat', { messages: [{ role: 'user', content: 'Hear the audio/mpeg of input_audio' }] }, true],
  ['openai-chat', { modalities: ['text'], messages: [] }, true],
  ['openai-chat', { modalities: ['text', 'audio'], messages: [] }, false],
  [
    'openai-chat',
    { messages: [{ content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] }] },
    false,
  ],
  [
    'openai-chat',
    { tools: [{ type: 'function', function: { parameters: { properties: { audio: {} } } } }] },
    true,
  ],
  ['openai-responses', { tools: [{ type: 'image_generation' }] }, false],
  [
    'anthropic-messages',
    { messages: [{ content: [{ source: { media_type: 'image/png', data: '' } }] }] },
    true,
  ],
  ['gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'audio/mp3', data: '' } }] }] }, false],
  ['gemini', { contents: [{ parts: [{ inline_data: { mime_type: 'video/mp4', data: '' } }] }] }, false],
  ['gemini', { generationConfig: { responseModalities: ['IMAGE'] } }, false],
  ['gemini', { generationConfig: { response_modalities: ['TEXT'] } }, true],
])('a request of %s with %j is text only: %s', (_protocol, body, textOnly) => {
  expect(boundTokens({ ...body }, null).textOnly).toBe(textOnly);
});
