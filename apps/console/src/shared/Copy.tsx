import { ActionIcon, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Copies a text; `what` names it for those who cannot see it. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={text} timeout={1_600}>
      {({ copied, copy }) => {
        const label = copied ? t('copied') : t('copy', { what });
        return (
          <ActionIcon variant="subtle" color="gray" size="md" onClick={copy} aria-label={label} title={label}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        );
      }}
    </CopyButton>
  );
}
