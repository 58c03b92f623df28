import type { Conversion } from '../../convert/conversion.ts';
import { decodeGeminiAnswer, encodeGeminiAnswer, encodeGeminiUsage, geminiErrorMessage } from './answer.ts';
import { decodeGeminiRequest } from './decode-request.ts';
import { encodeGeminiRequest } from './encode-request.ts';
import { geminiFields, geminiSupport } from './fields.ts';
import { geminiStreamDecoder, geminiStreamEncoder } from './stream.ts';

export const geminiConversion: Conversion = {
  fields: geminiFields,
  support: geminiSupport,
  toolNames: { pattern: /[A-Za-z0-9_.:-]/, first: /[A-Za-z_]/, maxLength: 128, namespaces: false },
  decodeRequest: decodeGeminiRequest,
  encodeRequest: encodeGeminiRequest,
  carriesImages: true,
  decodeAnswer: decodeGeminiAnswer,
  encodeAnswer: encodeGeminiAnswer,
  streamDecoder: geminiStreamDecoder,
  streamEncoder: geminiStreamEncoder,
  errorMessage: geminiErrorMessage,
  encodeUsage: encodeGeminiUsage,
};
