import type { Answer } from '../answer.ts';
import type { Billed } from '../bill/billed.ts';
import type { TellableExtras } from '../extras.ts';
import type { StoredResponses } from '../stored-responses.ts';
import type { Json, Question } from '../question.ts';
import type { StateOwner } from '../reasoning-state.ts';
import type { Refusal, Refuse } from '../rules/rule.ts';

/** One wire format: how requests are checked and read, and answers written. Pure functions. */
export interface Format {
  /** Puts what a request names by its id in its place. @throws Refused */
  readonly resolve?: (body: Json, stored: StoredResponses) => Json;
  /** Keeps an answer that a later request may name. */
  readonly keep?: (body: Json, whole: Json, stored: StoredResponses) => void;
  /** What the vendor refuses. */
  readonly refuse: Refuse;
  /** The states of reasoning that its answers carry are taken back from this account alone; without, from any. */
  readonly stateOwner: (account: string) => StateOwner;
  /** @throws Error where there is nothing to read. */
  readonly read: (body: Json, target: { model: string; stream: boolean }) => Question;
  readonly whole: (answer: Answer) => object;
  /** The stream's events, each with the name of its `event:` line where the format has one. */
  readonly events: (answer: Answer, question: Question) => readonly StreamEvent[];
  /** What answers can tell beside tokens. */
  readonly tellable: TellableExtras;
  /** What the vendor charges for an answer. */
  readonly bill: (answer: Answer) => readonly Billed[];
  /** What ends the stream after the last event. */
  readonly terminator: string;
  readonly error: (status: number, message: string, refusal?: Refusal) => object;
  readonly credential: (headers: Readonly<Record<string, unknown>>) => string | undefined;
  readonly countTokens: (words: number) => object;
}

/** What is streamed where each event says its type. */
export interface TypedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface StreamEvent {
  readonly name?: string;
  readonly data: object;
}

export const bearer = (headers: Readonly<Record<string, unknown>>): string | undefined => {
  const value = headers['authorization'];
  return typeof value === 'string' ? value.replace(/^Bearer /i, '') : undefined;
};

/** A fixed time keeps answers the same from run to run. */
export const CREATED = 1_780_000_000;

/** A text in halves, as partial arguments arrive. */
export const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(Boolean);
};
