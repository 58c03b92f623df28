import type { ModelDialect } from '@tollgate/catalogue';
import type { JsonObject } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';

/** A client's request that a vendor's rule would refuse, and that the relay says in a way that the vendor takes. */
export interface Adapted {
  readonly rule: string;
  /** What the client speaks. */
  readonly from: ClientProtocol;
  /** Laid over a plain question. */
  readonly asks: JsonObject;
  /** At the upstream; otherwise one that no profile of the simulator knows. */
  readonly model?: string;
  /** Of the catalogue. */
  readonly maxOutputTokens?: number;
  /**
   * What fixes it: the model's dialect, without which the request is refused by the rule, or the conversion itself, for
   * whatever model. Then the request that nobody fixed is the case that the simulator's own tests refuse.
   */
  readonly by: 'dialect' | 'conversion';
  /** What else the model takes where nothing is adapted. */
  readonly unlike?: ModelDialect;
}

/** A rule that no conversion answers, and why. */
export interface Excused {
  readonly rule: string;
  readonly because: string;
  /** The caller's own fault: the vendor's 400 is passed on. */
  readonly passedOn?: { readonly from: ClientProtocol; readonly asks: JsonObject };
}

export const [chat, responses, messages, gemini] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
] as const;

const HELLO = { role: 'user', content: 'Hello.' };
export const says = (...more: readonly JsonObject[]): JsonObject => ({ messages: [HELLO, ...more] });
export const config = (members: JsonObject): JsonObject => ({ generationConfig: members });
export const format = (members: JsonObject): JsonObject => ({ text: { format: members } });

/** A Chat tool, and its call and result. */
export const chatTool = (members: JsonObject = {}): JsonObject => ({
  tools: [{ type: 'function', function: { name: 'look', ...members } }],
});
export const chatCall = (id: string): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
});
export const chatResult = (tool_call_id: string): JsonObject => ({
  role: 'tool',
  tool_call_id,
  content: 'rain',
});

/** A picture of a type, as a Chat client shows it. */
export const shows = (mediaType: string): JsonObject => ({
  messages: [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: `data:${mediaType};base64,AAAA` } }],
    },
  ],
});

/** A Messages tool, and its call and result. */
export const messagesTool = (members: JsonObject = {}): JsonObject => ({
  tools: [{ name: 'look', input_schema: { type: 'object' }, ...members }],
});
export const use = (id: string, ...before: readonly JsonObject[]): JsonObject => ({
  role: 'assistant',
  content: [...before, { type: 'tool_use', id, name: 'look', input: {} }],
});
export const result = (tool_use_id: string, ...after: readonly JsonObject[]): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id, content: 'rain' }, ...after],
});
export const LONG_ID = `toolu_${'a'.repeat(90)}`;

export const geminiTool = (name: string): JsonObject => ({
  tools: [{ functionDeclarations: [{ name, parameters: { type: 'OBJECT' } }] }],
});
/** A function of a server that puts its name before a point, called and answered. */
export const geminiCall: JsonObject = {
  contents: [
    { role: 'user', parts: [{ text: 'Hello.' }] },
    { role: 'model', parts: [{ functionCall: { name: 'a.b', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'a.b', response: { output: 'rain' } } }] },
  ],
};

/** A picture that the model drew, and that comes back. */
export const geminiDrawing: JsonObject = {
  contents: [
    { role: 'user', parts: [{ text: 'Draw.' }] },
    { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    { role: 'user', parts: [{ text: 'Again.' }] },
  ],
};

/** A picture that a tool gives a client of Messages. */
const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
export const pictureResult = (tool_use_id: string): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id, content: [PICTURE] }],
});

export const CLAUDE_CODE_USER = {
  metadata: {
    user_id: `{"device_id":"${'0'.repeat(64)}","session_id":"8d4a2c1e-1111-4222-8333-444455556666"}`,
  },
};
/** Asks for JSON that a schema describes which is not closed. */
export const OPEN_SCHEMA = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } };
/** Of arguments: one of two objects. */
export const EITHER = {
  type: 'object',
  anyOf: [OPEN_SCHEMA, { type: 'object', properties: { name: { type: 'string' } } }],
};
