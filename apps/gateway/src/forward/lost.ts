import type { LostCause } from '@tollgate/contracts';
import type { Candidate } from '../route/candidates.ts';
import type { AttemptResult } from './attempt.ts';
import { isAnswer } from './hedge.ts';

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
}

/** Somebody on the way gave up waiting for an upstream that may have gone on. Vendors bill no other error. */
const GAVE_UP_WAITING = new Set([408, 502, 504, 520, 524]);

/** Undefined of an attempt that nobody bills: it was answered, was never sent, or was refused. */
export function lostCauseOf(result: AttemptResult): LostCause | undefined {
  if (isAnswer(result) || !result.isSent) return undefined;
  switch (result.kind) {
    case 'timeout':
    case 'reset':
    case 'garbage':
      return result.kind;
    case 'status':
      return GAVE_UP_WAITING.has(result.status) ? 'status' : undefined;
    default:
      return undefined;
  }
}
