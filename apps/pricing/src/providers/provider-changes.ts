import { modelInputSchema, upstreamInputSchema } from '@tollgate/catalogue';
import type { ProviderPlan } from '@tollgate/providers';
import { modelFrom, poolChange, upstreamFrom } from '../admin/complete-entries.ts';
import type { CatalogueChange } from '../catalogue/change.ts';

/** The changes that a plan is, in an order in which each finds what it names. */
export const toProviderChanges = (plan: ProviderPlan, sealKey: Buffer): CatalogueChange[] => [
  ...(plan.vendor ? [{ op: 'put', section: 'vendors', entry: plan.vendor } as const] : []),
  ...plan.models.map(
    (model) => ({ op: 'put', section: 'models', entry: modelFrom(modelInputSchema.parse(model)) }) as const,
  ),
  {
    op: 'put',
    section: 'upstreams',
    entry: upstreamFrom(upstreamInputSchema.parse(plan.upstream), sealKey),
  },
  ...(plan.pool ? [poolChange(plan.pool.entry, plan.pool.before ?? undefined)] : []),
  ...plan.groups.map((entry) => ({ op: 'put', section: 'groups', entry }) as const),
];
