import { METER_KIND_NAMES, type MeterKind } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** What people call a kind of token or unit: its English name while nobody has translated it. */
export function useMeterKindName(): (kind: MeterKind) => string {
  const { t } = useTranslation('meter-kinds');
  return useCallback((kind) => t(kind as 'input', { defaultValue: METER_KIND_NAMES[kind] }), [t]);
}
