import { anthropicMessages } from './anthropic-messages.ts';
import type { Format } from './format.ts';
import type { FormatId } from './format-id.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

/** Every format that the relay speaks, by the name that the price list gives it. */
export const FORMATS: Readonly<Record<FormatId, Format>> = {
  openai: openaiChat,
  'openai-response': openaiResponses,
  anthropic: anthropicMessages,
  gemini,
};
