import type { Billed } from '../bill/billed.ts';
import type { StreamEvent } from '../formats/format.ts';
import type { Json } from '../question.ts';
import type { Refusal, Refuse } from '../rules/rule.ts';
import type { Script } from '../script.ts';

/** What a request of a task has its model read. */
export interface TaskQuestion {
  readonly model: string;
  /** As text, or as the tokens of one. */
  readonly inputs: readonly (string | readonly number[])[];
}

/** What a task was answered, and what its vendor charges. */
export interface TaskAnswer {
  readonly body: unknown;
  readonly billed: readonly Billed[];
  /** Tokens, as the vendor counts them. */
  readonly tokens: number;
  /** Tokens of what it wrote. */
  readonly output?: number;
  /** In place of JSON, piece by piece. */
  readonly bytes?: { readonly type: string; readonly pieces: readonly Buffer[] };
  /** The same as a stream, and what ends that. */
  readonly events?: readonly StreamEvent[];
  readonly terminator?: string;
}

/** One route of a vendor that is no conversation. Pure functions. */
export interface TaskDoor {
  /** Requests come as forms. */
  readonly form?: true;
  readonly refuse: Refuse;
  readonly error: (status: number, message: string, refusal?: Refusal) => object;
  readonly credential: (headers: Readonly<Record<string, unknown>>) => string | undefined;
  readonly read: (body: Json, pathModel: string | undefined) => TaskQuestion;
  readonly answer: (question: TaskQuestion, body: Json, script: Script) => TaskAnswer;
}
