import type { ServiceTier } from '@tollgate/vocabulary';
import { type BilledExtras, type ExtrasRules, orNothing, readTier } from '../billed-extras.ts';
import { objectAt, textAt } from '../json.ts';

const CONVERSE_TIERS: Readonly<Record<string, ServiceTier>> = {
  default: 'standard',
  priority: 'priority',
  flex: 'flex',
  reserved: 'reserved',
};

/** The whole answer says the tier, and so does the last event of a stream. */
export const converseExtras: ExtrasRules = {
  findInBody: extrasOf,
  findInEvent: (event, before) => extrasOf(objectAt(event, 'metadata')) ?? before,
};

/** Models with less latency are a tier with a price of its own. */
function extrasOf(owner: unknown): BilledExtras | undefined {
  if (textAt(objectAt(owner, 'performanceConfig'), 'latency') === 'optimized') return { serviceTier: 'fast' };
  return orNothing(readTier(textAt(objectAt(owner, 'serviceTier'), 'type'), CONVERSE_TIERS));
}
