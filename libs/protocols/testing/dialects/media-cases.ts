import type { JsonObject } from '../../src/json.ts';
import { chat, type DialectCase, gemini, messages, responses } from './dialect-case.ts';

const JPEG = { mimeType: 'image/jpeg', data: 'AAAA' };
const shown = (part: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [part] }] });
const read = (document: JsonObject): JsonObject => ({
  messages: [{ role: 'user', content: [{ type: 'document', ...document }] }],
});

/** Images and documents. */
export const MEDIA: readonly DialectCase[] = [
  {
    from: chat,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } }],
        },
      ],
    },
    sends: shown({ inlineData: JPEG }),
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/JPG', data: 'AAAA' } }],
        },
      ],
    },
    sends: shown({ inlineData: JPEG }),
  },
  {
    from: gemini,
    to: messages,
    model: 'claude-sonnet-5',
    asks: shown({ inlineData: { mimeType: 'image/jpg', data: 'AAAA' } }),
    sends: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } }],
        },
      ],
    },
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: read({
      source: { type: 'text', media_type: 'text/plain', data: 'It rains.' },
      title: 'Weather',
      context: 'Of today.',
      citations: { enabled: true },
    }),
    sends: shown({ text: 'Weather\n\nOf today.\n\nIt rains.' }),
    dropped: ['messages[0].content[0].citations'],
  },
  {
    from: messages,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: read({
      source: { type: 'content', content: [{ type: 'text', text: 'It rains.' }] },
      title: 'Weather',
      citations: { enabled: false },
    }),
    sends: { contents: [{ role: 'user', parts: [{ text: 'Weather' }, { text: 'It rains.' }] }] },
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5.5',
    asks: read({
      source: { type: 'url', url: 'https://a.example/b.pdf' },
      context: 'Of today.',
    }),
    sends: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Of today.' },
            { type: 'input_file', file_url: 'https://a.example/b.pdf' },
          ],
        },
      ],
    },
  },
  {
    from: gemini,
    to: messages,
    model: 'claude-sonnet-5',
    asks: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'look', args: {} } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                id: 'a',
                name: 'look',
                response: { output: 'See:' },
                parts: [{ fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } }],
              },
            },
          ],
        },
      ],
    },
    sends: {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                { type: 'text', text: 'See:' },
                { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
              ],
            },
          ],
        },
      ],
    },
  },
];
