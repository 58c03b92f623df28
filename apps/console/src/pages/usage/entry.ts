import { inputTokens } from '@tollgate/money';
import type { UsageEntry } from '../../api/usage.ts';
import type { MarkTone } from '../../shared/Mark.tsx';

/** Everything that was read, from a cache or not. */
export const tokensIn = ({ tokens }: UsageEntry): number => inputTokens(tokens);

export const tokensOut = ({ tokens }: UsageEntry): number =>
  Object.entries(tokens).reduce((sum, [kind, count]) => (kind.startsWith('output') ? sum + count : sum), 0);

const TONES: Readonly<Record<UsageEntry['outcome'], MarkTone>> = {
  completed: 'good',
  client_aborted: 'warn',
  upstream_cut: 'bad',
};
export const toneOf = ({ outcome }: UsageEntry): MarkTone => TONES[outcome];
