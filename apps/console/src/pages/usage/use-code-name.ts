import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { isKnownCode } from './entry.ts';

/** What an error code means, in a few words; a code that has none is shown as it is. */
export function useCodeName(): (code: string) => string {
  const { t } = useTranslation('usage');
  return useCallback((code) => (isKnownCode(code) ? t(`codes.${code}`) : code), [t]);
}
