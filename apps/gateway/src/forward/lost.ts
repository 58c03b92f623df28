import type { LostCause } from '@tollgate/contracts';
import type { Candidate } from '../route/candidates.ts';
import type { AttemptResult } from './attempt.ts';
import { isAnswer } from './hedge.ts';
import { findFailurePolicy } from './status-policy.ts';

/** An attempt that brought the caller nothing, and that its upstream may bill all the same. */
export interface LostAttempt {
  readonly candidate: Candidate;
  /** The model whose candidate it was. */
  readonly model: string;
  readonly cause: LostCause;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** How long its upstream had, in milliseconds. */
  readonly ranMs: number;
  /** To some of the calls of a task, where they came, and how many calls it has. */
  readonly paid?: { readonly answers: readonly unknown[]; readonly calls: number };
}

/** Undefined of an attempt that nobody bills: it was answered, was never sent, or was refused. */
export const findLostCause = (result: AttemptResult): LostCause | undefined =>
  isAnswer(result) || result.kind === 'aborted' || !result.isSent
    ? undefined
    : findFailurePolicy(result).lost;
