import { TOKEN_KIND_NAMES, type TokenKind } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** What people call a kind of token: its English name while nobody has translated it. */
export function useTokenKindName(): (kind: TokenKind) => string {
  const { t } = useTranslation('common');
  return useCallback(
    (kind) => t(`tokenKinds.${kind as 'input'}`, { defaultValue: TOKEN_KIND_NAMES[kind] }),
    [t],
  );
}
