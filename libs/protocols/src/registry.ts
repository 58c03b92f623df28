import type { ClientProtocol, Protocol } from '@tollgate/vocabulary';
import { anthropicMessages } from './anthropic-messages/codec.ts';
import { bedrockConverse } from './bedrock-converse/codec.ts';
import type { Codec, UpstreamCodec } from './codec.ts';
import { gemini } from './gemini/codec.ts';
import { openaiChat } from './openai-chat/codec.ts';
import { openaiResponses } from './openai-responses/codec.ts';

/** Every wire format that is spoken; a new one is a folder beside these and a line here. */
export const CODECS: {
  readonly [P in Protocol]: P extends ClientProtocol ? Codec : UpstreamCodec;
} = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
  'bedrock-converse': bedrockConverse,
};
