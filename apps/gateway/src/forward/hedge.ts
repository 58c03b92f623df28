import { setTimeout as sleep } from 'node:timers/promises';
import type { Hedging } from '../health/hedging.ts';
import type { Answer } from './answer.ts';
import type { AttemptResult, StartedAttempt } from './attempt.ts';

export const isAnswer = (result: AttemptResult): result is Answer =>
  result.kind === 'stream' || result.kind === 'answer';

/**
 * Waits for an attempt, and starts a second one beside it when the first takes longer than nearly all do. The first answer
 * wins and the other attempt is cancelled. When both fail, the failure of the first one is returned.
 *
 * @param second starts the other attempt; undefined where there is no other candidate.
 * @param lost is told of the cancelled attempt when its upstream had already received it.
 */
export async function hedged(
  first: StartedAttempt,
  hedging: Hedging,
  deadlineMs: number,
  second: () => Promise<StartedAttempt | undefined>,
  lost: (attempt: StartedAttempt) => void,
): Promise<AttemptResult> {
  const beganAt = performance.now();
  const afterMs = hedging.afterMs();
  if (afterMs === undefined) return first.result;
  const early = await orAfter(first.result, afterMs);
  if (early) return early;
  // The timer of Node may fire a millisecond early.
  const elapsedMs = Math.max(afterMs, performance.now() - beganAt);
  if (!hedging.mayHedge({ elapsedMs, deadlineMs })) return first.result;
  const other = await second();
  if (!other) return first.result;

  const attempts = [first, other] as const;
  const winner = await Promise.any(
    attempts.map(async (attempt) => {
      const result = await attempt.result;
      if (!isAnswer(result)) throw new Error('it brought no answer');
      return { attempt, result };
    }),
  ).catch(() => undefined);
  const loser = winner?.attempt === other ? first : other;
  if (winner) loser.abort();
  void loser.result.then((late) => {
    if (isAnswer(late)) late.settle(null);
    // One that failed by itself tells so itself.
    if (isAnswer(late) || (late.kind === 'aborted' && late.isSent)) lost(loser);
  });
  return winner ? winner.result : first.result;
}

async function orAfter(result: Promise<AttemptResult>, ms: number): Promise<AttemptResult | undefined> {
  const waiting = new AbortController();
  try {
    return await Promise.race([result, sleep(ms, undefined, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
