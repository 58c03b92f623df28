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
  /** Whether a state, or a piece of one, is in it. Of what holds none `read` takes nothing. */
  holds(eventOrBody: unknown): boolean;
  /** Those of the answer so far, the newest last. */
  states(): readonly string[];
}

/** A part of a state that comes in several events: those of one index make the whole. */
interface StatePiece {
  readonly index: unknown;
  readonly text: string;
}

/**
 * A collector of a format.
 *
 * @param statesOf the states that stand whole in an event or an answer.
 * @param pieceOf where the format has states in pieces.
 */
export function collectStates(
  statesOf: (eventOrBody: unknown) => readonly string[],
  pieceOf: (event: unknown) => StatePiece | undefined = () => undefined,
): StateCollector {
  const found: string[] = [];
  const pieces = new Map<unknown, string>();
  return {
    read(event) {
      const piece = pieceOf(event);
      if (piece) pieces.set(piece.index, (pieces.get(piece.index) ?? '') + piece.text);
      found.push(...statesOf(event));
    },
    holds: (event) => pieceOf(event) !== undefined || statesOf(event).length > 0,
    states: () => [...found, ...pieces.values()],
  };
}

/** So often the end of a mark is met in bytes without it before they are searched for all of it. */
const MAX_MET = 1_000;
/** As long as what is seldom in texts. */
const END_LENGTH = 2;

/**
 * Whether bytes hold a mark, found by its end: what it begins with is one letter in ten of an English text, and looking behind
 * each took 4 ms in one of 4 MB, where this takes 0.1.
 */
export function holdsMark(bytes: Buffer, mark: string): boolean {
  const beginning = mark.length - END_LENGTH;
  const end = mark.slice(beginning);
  let at = bytes.indexOf(end);
  for (let met = 0; at >= 0 && met < MAX_MET; met += 1) {
    if (at >= beginning && bytes.toString('latin1', at - beginning, at + END_LENGTH) === mark) return true;
    at = bytes.indexOf(end, at + 1);
  }
  return at >= 0 && bytes.includes(mark, Math.max(0, at - beginning));
}
