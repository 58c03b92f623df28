import { type ModelOperation, OPERATION_NAMES } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** What people call what a model is asked for: in English while nobody has translated it. */
export function useOperationName(): (operation: ModelOperation) => string {
  const { t } = useTranslation('operations');
  return useCallback(
    (operation) => t(`names.${operation}`, { defaultValue: OPERATION_NAMES[operation] }),
    [t],
  );
}
