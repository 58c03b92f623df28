import type { Conversion } from '../../convert/conversion.ts';
import { openaiErrorMessage } from '../../openai-chat/convert/answer.ts';
import { decodeResponsesAnswer, encodeResponsesAnswer, encodeResponsesUsage } from './answer.ts';
import { decodeResponsesRequest } from './decode-request.ts';
import { responsesStreamDecoder } from './decode-stream.ts';
import { encodeResponsesRequest } from './encode-request.ts';
import { responsesStreamEncoder } from './encode-stream.ts';
import { responsesFields, responsesSupport } from './fields.ts';

export const responsesConversion: Conversion = {
  fields: responsesFields,
  support: responsesSupport,
  toolNames: { pattern: /[A-Za-z0-9_-]/, maxLength: 64, namespaces: true },
  decodeRequest: decodeResponsesRequest,
  encodeRequest: encodeResponsesRequest,
  carriesImages: true,
  decodeAnswer: decodeResponsesAnswer,
  encodeAnswer: encodeResponsesAnswer,
  streamDecoder: responsesStreamDecoder,
  streamEncoder: responsesStreamEncoder,
  errorMessage: openaiErrorMessage,
  encodeUsage: encodeResponsesUsage,
};
