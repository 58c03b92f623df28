import type { JsonObject } from '../../src/json.ts';
import { chat, type DialectCase, gemini, messages } from './dialect-case.ts';

const JPEG = { mimeType: 'image/jpeg', data: 'AAAA' };
const shown = (part: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [part] }] });

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
];
