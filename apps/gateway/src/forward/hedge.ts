import { setTimeout as sleep } from 'node:timers/promises';
import type { Hedging } from '../health/hedging.ts';
import type { Answer, AttemptResult, StartedAttempt } from './attempt.ts';

export const isAnswer = (result: AttemptResult): result is Answer =>
  result.kind === 'stream' || result.kind === 'answer';

/**
 * Waits for an attempt, and starts a second one beside it when the first takes longer than nearly all do. The first
 * answer wins and the other attempt is given up; when both fail it is the failure of the first that counts.
 *
 * @param second starts the other attempt; undefined where there is nobody to ask.
 */
export async function hedged(
  first: StartedAttempt,
  hedging: Hedging,
  deadlineMs: number,
  second: () => Promise<StartedAttempt | undefined>,
): Promise<AttemptResult> {
  const beganAt = Date.now();
  const afterMs = hedging.afterMs();
  if (afterMs === undefined) return first.result;
  const early = await orAfter(first.result, afterMs);
  if (early) return early;
  // The timer of Node may fire a millisecond early.
  const elapsedMs = Math.max(afterMs, Date.now() - beganAt);
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
  if (!winner) return first.result;
  const loser = winner.attempt === first ? other : first;
  loser.abort();
  void loser.result.then((late) => isAnswer(late) && late.settle(null));
  return winner.result;
}

async function orAfter(result: Promise<AttemptResult>, ms: number): Promise<AttemptResult | undefined> {
  const waiting = new AbortController();
  try {
    return await Promise.race([result, sleep(ms, undefined, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
