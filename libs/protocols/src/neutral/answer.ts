import type { TokenCounts } from '@tollgate/vocabulary';
import type { RelayError } from '../relay-error.ts';
import type { Citation, ReasoningState, ToolCall } from './request.ts';

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string; readonly cited?: readonly Citation[] }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly state?: ReasoningState }
  /** `data` is base64. */
  | { readonly kind: 'image'; readonly mediaType: string; readonly data: string }
  | ToolCall;

/** Why a model stopped. A tool call outranks `stop`: some upstreams say only that. */
export const FINISH_REASONS = [
  'stop',
  'stop_sequence',
  'length',
  'context_window',
  'tool_calls',
  'content_filter',
  'refusal',
  'pause',
] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export interface Choice {
  readonly parts: readonly AnswerPart[];
  readonly finish: FinishReason;
  readonly stopSequence?: string;
}

/** An answer in no wire format. */
export interface NeutralAnswer {
  readonly id: string;
  readonly choices: readonly Choice[];
  /** Undefined when the upstream reported none. */
  readonly tokens: TokenCounts | undefined;
}

/** What a block of an answer is, as far as it is known when it begins. */
export type OpenedBlock =
  | { readonly kind: 'text' | 'refusal' | 'thinking' }
  /** All of its data is one delta, in base64. */
  | { readonly kind: 'image'; readonly mediaType: string }
  | {
      readonly kind: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly namespace?: string;
      readonly custom: boolean;
    };

/**
 * A stream in no wire format. Blocks are numbered by whoever reads the upstream; after {@link serialise} they come one
 * after the other.
 */
export type AnswerEvent =
  | { readonly type: 'start'; readonly id: string }
  | { readonly type: 'open'; readonly block: number; readonly opened: OpenedBlock }
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  | { readonly type: 'state'; readonly block: number; readonly state: ReasoningState }
  | { readonly type: 'citation'; readonly block: number; readonly citation: Citation }
  | { readonly type: 'close'; readonly block: number }
  | { readonly type: 'usage'; readonly tokens: TokenCounts }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly stopSequence?: string }
  | { readonly type: 'error'; readonly error: RelayError };

/** Reads the events of an upstream's stream, one JSON event after the other. */
export interface StreamDecoder {
  read(event: unknown): AnswerEvent[];
  /** The stream ended; closes what is open. */
  end(): AnswerEvent[];
}

/** Writes a client's stream; answers the bytes of each event, '' for none. */
export interface StreamEncoder {
  write(event: AnswerEvent): string;
  /** After the last event: what ends the stream. */
  end(): string;
}
