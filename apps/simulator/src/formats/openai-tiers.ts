import type { Answer } from '../answer.ts';
import type { Tier } from '../extras.ts';

const WORDS: Readonly<Partial<Record<Tier, string>>> = {
  standard: 'default',
  priority: 'priority',
  flex: 'flex',
  ultrafast: 'ultrafast',
  scale: 'scale',
  batch: 'batch',
};
export const OPENAI_TIERS = Object.keys(WORDS) as Tier[];

/** OpenAI serves a request for `fast` in the tier `priority`, and says that. */
export function askedTier(word: unknown): Tier | undefined {
  if (word === undefined || word === null) return undefined;
  const said = String(word).toLowerCase();
  if (said === 'fast') return 'priority';
  return OPENAI_TIERS.find((tier) => tier !== 'batch' && WORDS[tier] === said) ?? 'standard';
}

/** The tier that served it; silent where nobody asked. */
export const writeTier = ({ extras: { tier } }: Answer): object =>
  tier === undefined ? {} : { service_tier: WORDS[tier] };
