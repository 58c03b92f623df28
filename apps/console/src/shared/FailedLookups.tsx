import { Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from './States.tsx';
import { failedLookups } from './use-lookup.ts';
import classes from './States.module.css';

/** Says which parts could not be loaded, where there are any, and asks for them again. */
export function FailedLookups() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const failed = useSyncExternalStore(failedLookups.subscribe, failedLookups.read);
  if (failed.length === 0) return null;
  const reasons = [...new Set(failed.map(({ error }) => errorText(error)))];
  return (
    <Group role="alert" className={classes.part} gap="xs" justify="space-between">
      <Group gap="xs" wrap="nowrap" miw={0}>
        <IconAlertTriangle size={18} stroke={1.6} />
        <Text size="sm">
          {t('failed.part')} {reasons.join(' ')}
        </Text>
      </Group>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        onClick={() => failed.forEach(({ retry }) => retry())}
      >
        {t('failed.retry')}
      </Button>
    </Group>
  );
}
