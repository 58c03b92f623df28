import { type Answer, type Json, NO_ANSWER } from './formats/format.ts';

/** Why the relay gave no answer, or broke one off. */
export interface Refusal {
  /** 0 where nothing answered. */
  readonly status: number;
  readonly message: string;
  /** Seconds after which to try again, where the relay says so. */
  readonly retryAfterS: number | null;
}

/** What is known of a request while it runs and afterwards. */
export interface Progress {
  readonly answer: Answer;
  readonly requestId: string | null;
  /** From sending to the first text, reasoning or call. */
  readonly firstTokenMs: number | null;
  readonly totalMs: number | null;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  readonly refusal: Refusal | null;
  /** Fields of the request that the model's own format has no place for, and those that were brought about otherwise. */
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
}

export const STARTED: Progress = {
  answer: NO_ANSWER,
  requestId: null,
  firstTokenMs: null,
  totalMs: null,
  status: 'running',
  refusal: null,
  dropped: [],
  emulated: [],
};

export interface RelayRequest {
  /** Without the host. */
  readonly path: string;
  readonly body: Json;
}
