import {
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  type TokenCounts,
  type TokenKind,
} from '@tollgate/vocabulary';
import type { Metered } from './meter.ts';
import type { UsageBound } from './within-bound.ts';

/**
 * What is charged when a client left and its answer was given up before its usage was known: all the output that the request
 * can have, and its input as the upstream told it, or else all the input that it can have. That is never less than staying
 * would have cost, and never more than was held. Usage that the upstream reported in full is not changed.
 */
export function chargeGivenUp({ tokens, source }: Metered, bound: UsageBound): Metered {
  if (source === 'upstream') return { tokens, source };
  const withInput = source === 'partial' ? tokens : raised(tokens, 'input', INPUT_TOKEN_KINDS, bound.input);
  return { tokens: raised(withInput, 'output', OUTPUT_TOKEN_KINDS, bound.output), source };
}

function raised(
  tokens: TokenCounts,
  kind: 'input' | 'output',
  kinds: readonly TokenKind[],
  to: number,
): TokenCounts {
  const missing = to - sumTokens(tokens, kinds);
  return missing > 0 ? { ...tokens, [kind]: (tokens[kind] ?? 0) + missing } : tokens;
}
