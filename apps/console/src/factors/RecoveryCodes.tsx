import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Copy } from '../shared/Copy.tsx';

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
      <Group align="start" wrap="nowrap">
        <Code block aria-label={t('codes.title')} data-testid="recovery-codes">
          {text}
        </Code>
        <Copy text={text} what={t('codes.title')} />
      </Group>
      <Group>
        <Button onClick={onDone}>{t('codes.done')}</Button>
      </Group>
    </Stack>
  );
}
