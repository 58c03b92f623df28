import {
  AS_TEXT_KIND,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  TOKEN_KINDS,
  type TokenCounts,
  type TokenKind,
} from '@tollgate/vocabulary';

/** The most tokens of each side that a request can have: what its hold was worked out from. */
export interface UsageBound {
  readonly input: number;
  readonly output: number;
  /** Tokens of sound and of drawn pictures cannot be among them. */
  readonly textOnly: boolean;
  /** What comes back, where that is no text. */
  readonly writes?: TokenKind | undefined;
}

interface BoundedUsage {
  /** What may be charged. */
  readonly tokens: TokenCounts;
  /** More was reported than the request can have had. */
  readonly beyond: boolean;
}

/**
 * Cuts the figures of an upstream down to what its request can have had: nothing of what it says may cost more than what
 * was held. The same counts where they are within the bound, which nearly all are.
 */
export function withinBound(reported: TokenCounts, bound: UsageBound): BoundedUsage {
  if (isWithin(reported, bound)) return { tokens: reported, beyond: false };
  const tokens: Partial<Record<TokenKind, number>> = {};
  const share = (kinds: readonly TokenKind[], max: number) => {
    let left = Math.max(0, max);
    for (const kind of kinds) {
      const taken = Math.min(left, reported[kind] ?? 0);
      const as = bound.textOnly ? (AS_TEXT_KIND[kind] ?? kind) : kind;
      if (taken > 0) tokens[as] = (tokens[as] ?? 0) + taken;
      left -= taken;
    }
  };
  share(INPUT_TOKEN_KINDS, bound.input);
  share(OUTPUT_TOKEN_KINDS, bound.output);
  return { tokens, beyond: true };
}

const NOT_TEXT = TOKEN_KINDS.filter((kind) => AS_TEXT_KIND[kind] !== undefined);

const isWithin = (reported: TokenCounts, { input, output, textOnly }: UsageBound): boolean =>
  sumTokens(reported, INPUT_TOKEN_KINDS) <= input &&
  sumTokens(reported, OUTPUT_TOKEN_KINDS) <= output &&
  (!textOnly || sumTokens(reported, NOT_TEXT) === 0);
