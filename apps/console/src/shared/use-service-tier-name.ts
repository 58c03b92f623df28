import type { ServiceTier } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** What people call a service tier: its name in the catalogue while nobody has translated it. */
export function useServiceTierName(): (tier: ServiceTier) => string {
  const { t } = useTranslation('meter-kinds');
  return useCallback((tier) => t(`serviceTiers.${tier}`, { defaultValue: tier }), [t]);
}
