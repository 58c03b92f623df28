import { OUTPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import type { Metered } from './meter.ts';

/** What a model writes a second, about: large ones write half of it, small ones twice as much. */
const TOKENS_PER_S = 100;

/** How many tokens a model can have written in so many milliseconds, where nobody saw them. */
export const tokensWrittenIn = (ms: number): number => Math.ceil((Math.max(0, ms) * TOKENS_PER_S) / 1_000);

/**
 * What is charged for an answer without a usage report, from a model that reasons unseen: at least what it can have written in
 * its time, and at most `maxOutput`. Usage that the upstream reported in full is not changed. An answer that produced nothing
 * stays free.
 */
export function withUnseenReasoning(metered: Metered, ranMs: number, maxOutput: number): Metered {
  const { tokens, source } = metered;
  if (source === 'upstream' || Object.keys(tokens).length === 0) return metered;
  const known = sumTokens(tokens, OUTPUT_TOKEN_KINDS);
  const missing = Math.min(tokensWrittenIn(ranMs), maxOutput) - known;
  if (missing <= 0) return metered;
  return {
    ...metered,
    tokens: { ...tokens, output_reasoning: (tokens.output_reasoning ?? 0) + missing },
  };
}
