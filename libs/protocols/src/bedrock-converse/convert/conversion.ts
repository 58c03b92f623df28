import { messagesSupport } from '../../anthropic-messages/convert/fields.ts';
import type { UpstreamConversion } from '../../convert/conversion.ts';
import type { SupportTable } from '../../neutral/features.ts';
import { converseErrorMessage } from '../errors.ts';
import { decodeConverseAnswer } from './answer.ts';
import { encodeConverseRequest } from './encode-request.ts';
import { converseStreamDecoder } from './stream.ts';

/** It was made after Anthropic's format, and carries what that carries but for this. `top_k` is a field of the model's vendor. */
const converseSupport: SupportTable = {
  ...messagesSupport,
  image_url: 'refused',
  file_url: 'refused',
  audio_input: 'carried',
  video_input: 'carried',
  parallel_tool_calls_off: 'dropped',
  metadata: 'carried',
  user: 'dropped',
  service_tier: 'carried',
};

export const converseConversion: UpstreamConversion = {
  support: converseSupport,
  toolNames: { pattern: /[A-Za-z0-9_-]/, maxLength: 64, namespaces: false },
  encodeRequest: encodeConverseRequest,
  decodeAnswer: decodeConverseAnswer,
  streamDecoder: converseStreamDecoder,
  errorMessage: converseErrorMessage,
};
