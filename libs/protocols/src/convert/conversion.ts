import type { TokenCounts } from '@tollgate/vocabulary';
import type { Dialect } from '../dialects/dialect.ts';
import type { JsonObject } from '../json.ts';
import type { NeutralAnswer, StreamDecoder, StreamEncoder } from '../neutral/answer.ts';
import type { NeutralRequest } from '../neutral/request.ts';
import type { StreamFraming } from '../protocol.ts';
import type { FieldRules, SupportTable } from '../neutral/features.ts';
import type { Notes } from '../neutral/notes.ts';
import type { StateWrapper } from './reasoning-state.ts';
import type { NameRule, ToolNames } from './tool-names.ts';

export interface DecodeRequestContext {
  readonly states: StateWrapper;
  readonly notes: Notes;
  /** Gemini says in the path what others say in the body. */
  readonly stream: boolean;
}

export interface EncodeRequestContext {
  /** The model's name at the upstream. */
  readonly model: string;
  /** What that model takes. */
  readonly dialect: Dialect;
  readonly names: ToolNames;
  readonly notes: Notes;
  /** For upstreams that require a limit. */
  readonly defaultMaxTokens: number;
}

export interface DecodeAnswerContext {
  readonly names: ToolNames;
}

/** An answer that its account can name later. */
export interface AnswerKeeping {
  /** Of the response; no other answer has it. */
  readonly id: string;
  /** The response that it goes on from. */
  readonly previous: string | undefined;
  /** Called with all items of an answer that came to its end. */
  readonly answered: (output: readonly JsonObject[]) => void;
}

export interface EncodeAnswerContext {
  /** The model's name for the client. */
  readonly model: string;
  readonly states: StateWrapper;
  /** Unix seconds. */
  readonly created: number;
  /** For an answer to which its upstream gave no id. */
  readonly fallbackId: string;
  readonly framing: StreamFraming;
  /** A Chat client asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** Where a Responses client's answer is kept for it. */
  readonly keeping?: AnswerKeeping | undefined;
}

/** The half of every conversion that an upstream's format has: pure functions from the neutral model, and back. */
export interface UpstreamConversion {
  /** What becomes of each feature. */
  readonly support: SupportTable;
  readonly toolNames: NameRule;
  /** @throws Refusal for what the format cannot say. */
  readonly encodeRequest: (request: NeutralRequest, context: EncodeRequestContext) => JsonObject;
  readonly decodeAnswer: (body: unknown, context: DecodeAnswerContext) => NeutralAnswer;
  readonly streamDecoder: (context: DecodeAnswerContext) => StreamDecoder;
  /** The message of an upstream's error body. */
  readonly errorMessage: (body: unknown) => string | undefined;
}

/** Both halves: of a format that clients speak too. */
export interface Conversion extends UpstreamConversion {
  /** What each field of a request asks for. */
  readonly fields: FieldRules;
  readonly decodeRequest: (body: JsonObject, context: DecodeRequestContext) => NeutralRequest;
  /** Its answers can hold images. */
  readonly carriesImages: boolean;
  readonly encodeAnswer: (answer: NeutralAnswer, context: EncodeAnswerContext) => JsonObject;
  readonly streamEncoder: (context: EncodeAnswerContext) => StreamEncoder;
  readonly encodeUsage: (tokens: TokenCounts) => JsonObject;
}
