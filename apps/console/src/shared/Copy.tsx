import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton.tsx';

/** Copies a text; `what` names it for those who cannot see it. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const { t } = useTranslation();
  const { copied, copy } = useClipboard({ timeout: 1_600 });
  const label = copied ? t('copied') : t('copy', { what });
  return (
    <IconButton onClick={() => copy(text)} aria-label={label} title={label}>
      {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
    </IconButton>
  );
}
