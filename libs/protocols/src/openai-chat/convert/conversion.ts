import type { Conversion } from '../../convert/conversion.ts';
import { decodeChatAnswer, encodeChatAnswer, encodeChatUsage, openaiErrorMessage } from './answer.ts';
import { decodeChatRequest } from './decode-request.ts';
import { encodeChatRequest } from './encode-request.ts';
import { chatFields, chatSupport } from './fields.ts';
import { chatStreamDecoder, chatStreamEncoder } from './stream.ts';

export const chatConversion: Conversion = {
  fields: chatFields,
  support: chatSupport,
  toolNames: { pattern: /[A-Za-z0-9_-]/, maxLength: 64, namespaces: false },
  decodeRequest: decodeChatRequest,
  encodeRequest: encodeChatRequest,
  carriesImages: true,
  decodeAnswer: decodeChatAnswer,
  encodeAnswer: encodeChatAnswer,
  streamDecoder: chatStreamDecoder,
  streamEncoder: chatStreamEncoder,
  errorMessage: openaiErrorMessage,
  encodeUsage: encodeChatUsage,
};
