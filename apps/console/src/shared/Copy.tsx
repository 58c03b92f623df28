import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton.tsx';
import { useCopy } from './use-copy.ts';

/** Copies a text; `what` names it for those who cannot see it. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopy();
  const label = isCopied ? t('copied') : t('copy', { what });
  return (
    <IconButton onClick={() => copy(text)} aria-label={label} title={label}>
      {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
    </IconButton>
  );
}
