import type { Model } from '@tollgate/catalogue';
import type { ServedFeatures } from '@tollgate/protocols';
import { COSTLY_FEATURES, SERVICE_TIERS } from '@tollgate/vocabulary';

/** What is sold of a model beside its tokens, as the catalogue says. */
export function listServedFeatures({ features, service_tiers, regions }: Model): ServedFeatures {
  return {
    free: new Set(COSTLY_FEATURES.filter((feature) => features?.[feature] === 'free')),
    priced: new Set(COSTLY_FEATURES.filter((feature) => features?.[feature] === 'priced')),
    serviceTiers: new Set(
      SERVICE_TIERS.filter((tier) => tier !== 'standard' && service_tiers?.[tier] !== undefined),
    ),
    regions: new Set(Object.keys(regions ?? {})),
  };
}
