import type { UpstreamConversion } from '../../convert/conversion.ts';
import { converseErrorMessage } from '../errors.ts';
import { decodeConverseAnswer } from './answer.ts';
import { encodeConverseRequest } from './encode-request.ts';
import { converseStreamDecoder } from './stream.ts';
import { converseSupport } from './support.ts';

export const converseConversion: UpstreamConversion = {
  support: converseSupport,
  toolNames: { pattern: /[A-Za-z0-9_-]/, maxLength: 64, namespaces: false },
  encodeRequest: encodeConverseRequest,
  decodeAnswer: decodeConverseAnswer,
  streamDecoder: converseStreamDecoder,
  errorMessage: converseErrorMessage,
};
