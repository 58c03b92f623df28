import type { Protocol } from '@tollgate/vocabulary';
import { messagesConversion } from '../anthropic-messages/convert/conversion.ts';
import { geminiConversion } from '../gemini/convert/conversion.ts';
import { chatConversion } from '../openai-chat/convert/conversion.ts';
import { responsesConversion } from '../openai-responses/convert/conversion.ts';
import type { Conversion } from './conversion.ts';

/** Each wire format's half of every conversion; a new format is a folder beside these and a line here. */
export const CONVERSIONS: Readonly<Record<Protocol, Conversion>> = {
  'openai-chat': chatConversion,
  'openai-responses': responsesConversion,
  'anthropic-messages': messagesConversion,
  gemini: geminiConversion,
};
