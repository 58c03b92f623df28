import { COSTLY_FEATURE_NAMES, type CostlyFeature } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** What people call what a vendor charges beside tokens: in English while nobody has translated it. */
export function useFeatureName(): (feature: CostlyFeature) => string {
  const { t } = useTranslation('meter-kinds');
  return useCallback(
    (feature) => t(`features.${feature}`, { defaultValue: COSTLY_FEATURE_NAMES[feature] }),
    [t],
  );
}
