import type { Protocol } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';

/** State of a model's reasoning that only its own vendor can read, and that must come back for the next turn. */
export interface ReasoningState {
  /** The wire format of the upstream that made it. */
  readonly format: Protocol;
  /** `redacted` is reasoning without a text; `signed` goes with the text beside it. */
  readonly kind: 'signed' | 'redacted';
  readonly data: string;
  /** The vendor's id of the reasoning, where it has one. */
  readonly id?: string;
  /** The reasoning's text where the signature is over it and a client may not keep it. */
  readonly text?: string;
  /** The upstream's credential that made it, where that is known: no other one can read it. */
  readonly place?: string;
}

export type Source =
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly type: 'data'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'id'; readonly id: string };

export interface Citation {
  readonly url: string;
  readonly title?: string;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly cited?: readonly Citation[] }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'image'; readonly source: Source; readonly detail?: string; readonly at?: string }
  | { readonly kind: 'file'; readonly source: Source; readonly name?: string; readonly at?: string }
  | { readonly kind: 'audio'; readonly source: Source; readonly at?: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly state?: ReasoningState }
  | ToolCall
  | {
      readonly kind: 'tool_result';
      readonly callId: string;
      readonly isError: boolean;
      readonly content: readonly Part[];
      readonly at?: string;
    };

export interface ToolCall {
  readonly kind: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
  /** JSON text of the arguments; of a custom tool the free text. */
  readonly input: string;
  readonly custom: boolean;
}

/** What one side says in a row. Tool results are parts of the user's turn, before anything else in it. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

export type Tool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly namespace?: string;
      readonly description?: string;
      readonly parameters: JsonObject;
      readonly strict?: boolean;
    }
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly namespace?: string;
      readonly description?: string;
      /** A grammar of the free text, or undefined for any text. */
      readonly grammar?: { readonly syntax: string; readonly definition: string };
    };

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required'; readonly allowed?: readonly string[] }
  | { readonly mode: 'tool'; readonly name: string };

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** How much a model should reason; everything is optional, nothing means the model's default. */
export interface Reasoning {
  readonly effort?: Effort;
  /** Tokens; 0 turns reasoning off. */
  readonly budget?: number;
  /** The model decides by itself. */
  readonly adaptive?: boolean;
  /** Whether the client wants to see the reasoning or a summary of it. */
  readonly shown?: boolean;
}

export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema';
      readonly name: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
      readonly description?: string;
    };

export interface Sampling {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly n?: number;
}

/** A request in no wire format: what all four can say, and what some can. */
export interface NeutralRequest {
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly sampling: Sampling;
  readonly responseFormat?: ResponseFormat;
  readonly reasoning?: Reasoning;
  readonly user?: string;
  /** What it begins with is to stay in the vendor's cache for an hour, which costs more to write. */
  readonly cachesForHour?: boolean;
  /** Fields that two formats share word for word, such as `metadata`, by their name there. */
  readonly shared: JsonObject;
  readonly stream: boolean;
  /** The answer may hold pictures. */
  readonly draws?: boolean;
}
