import { INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import type { UsageEntry } from '../../api/usage.ts';
import type { MarkTone } from '../../shared/Mark.tsx';

/** Everything that was read, from a cache or not. */
export const tokensIn = ({ tokens }: UsageEntry): number => sumTokens(tokens, INPUT_TOKEN_KINDS);

export const tokensOut = ({ tokens }: UsageEntry): number => sumTokens(tokens, OUTPUT_TOKEN_KINDS);

const TONES: Readonly<Record<UsageEntry['outcome'], MarkTone>> = {
  completed: 'good',
  client_aborted: 'warn',
  upstream_cut: 'bad',
};
export const findTone = ({ outcome }: UsageEntry): MarkTone => TONES[outcome];
