import type { ClientProtocol } from '@tollgate/vocabulary';
import type { JsonObject } from '../../src/json.ts';

export const BODIES = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: 'Hello.' },
  'anthropic-messages': { model: 'm', max_tokens: 20_000, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
} satisfies Record<ClientProtocol, JsonObject>;

export interface DialectCase {
  readonly from: ClientProtocol;
  readonly to: ClientProtocol;
  readonly model: string;
  /** Beside a plain question. */
  readonly asks: JsonObject;
  /** What the request says of it; a member that is undefined must not be there. */
  readonly sends: JsonObject;
  readonly dropped?: readonly string[];
  readonly emulated?: readonly string[];
}

export const config = (members: JsonObject): JsonObject => ({ generationConfig: members });

export const [chat, responses, messages, gemini] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
] as const;
