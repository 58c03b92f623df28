import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Copy } from '../shared/Copy.tsx';
import { saveText } from '../shared/save-text.ts';
import classes from './Factors.module.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Codes that are shown this once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const { t } = useTranslation('security');
  const text = codes.join('\n');
  return (
    <Stack gap="md">
      <Text size="sm">{t('codes.about')}</Text>
      <ol className={classes.codes} aria-label={t('codes.title')} data-testid="recovery-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Group justify="space-between" gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveText(`${text}\n`, 'tollgate-recovery-codes.txt')}
        >
          {t('codes.download')}
        </Button>
        <Copy text={text} what={t('codes.title')} />
      </Group>
      <Button fullWidth onClick={onDone}>
        {t('codes.done')}
      </Button>
    </Stack>
  );
}
