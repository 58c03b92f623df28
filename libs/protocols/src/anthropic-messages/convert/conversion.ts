import type { Conversion } from '../../convert/conversion.ts';
import {
  decodeMessagesAnswer,
  encodeMessagesAnswer,
  encodeMessagesUsage,
  messagesErrorMessage,
} from './answer.ts';
import { decodeMessagesRequest } from './decode-request.ts';
import { encodeMessagesRequest } from './encode-request.ts';
import { messagesFields, messagesSupport } from './fields.ts';
import { messagesStreamDecoder, messagesStreamEncoder } from './stream.ts';

export const messagesConversion: Conversion = {
  fields: messagesFields,
  support: messagesSupport,
  toolNames: { pattern: /[A-Za-z0-9_-]/, maxLength: 64, namespaces: false },
  decodeRequest: decodeMessagesRequest,
  encodeRequest: encodeMessagesRequest,
  carriesImages: false,
  decodeAnswer: decodeMessagesAnswer,
  encodeAnswer: encodeMessagesAnswer,
  streamDecoder: messagesStreamDecoder,
  streamEncoder: messagesStreamEncoder,
  errorMessage: messagesErrorMessage,
  encodeUsage: encodeMessagesUsage,
};
