import type { JsonObject } from '../json.ts';
import type { ReasoningState } from '../neutral/request.ts';

/**
 * What becomes of a state that stands in a request: undefined leaves it as it is, a list takes its place, and an empty list
 * leaves it out.
 */
export type ReplaceState = (text: string) => readonly ReasoningState[] | undefined;

/** Where a wire format keeps the state of reasoning. */
export interface StateRules {
  /** Bytes without this hold no state that was wrapped here. */
  readonly mark: string;
  /** A state's text, as the wrapper knows it. */
  readonly wrapped: (text: string) => string;
  /** The states of a request, the newest last. */
  readonly statesIn: (body: JsonObject) => readonly string[];
  /** The request's top-level fields that change when states do; undefined for one that is left out. */
  readonly replace: (body: JsonObject, by: ReplaceState, upstreamModel: string) => JsonObject;
  /** Takes the states out of an answer, whole or event by event. */
  readonly collector: () => StateCollector;
}

export interface StateCollector {
  read(eventOrBody: unknown): void;
  /** Those of the answer so far, the newest last. */
  states(): readonly string[];
}

/** A collector for formats whose states come in one piece. */
export function collectPieces(statesOf: (eventOrBody: unknown) => readonly string[]): StateCollector {
  const found: string[] = [];
  return {
    read: (event) => void found.push(...statesOf(event)),
    states: () => found,
  };
}
