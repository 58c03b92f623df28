import { Alert, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Unsaved {
  /** For Escape and the corner of a dialog: it asks where something was typed. */
  readonly close: () => void;
  /** For the form: something was typed. */
  readonly onChange: () => void;
  readonly question: ReactNode;
}

/** Keeps what was typed into a dialog from a key that was hit by mistake. Its buttons do what they say. */
export function useUnsaved(onClose: () => void): Unsaved {
  const { t } = useTranslation();
  const [isTyped, setTyped] = useState(false);
  const [isAsking, ask] = useState(false);
  return {
    close: () => (isTyped ? ask(true) : onClose()),
    onChange: () => setTyped(true),
    question: isAsking && (
      <Alert color="yellow" p="sm" role="alert">
        <Group justify="space-between" gap="xs">
          <Text size="sm">{t('unsaved.question')}</Text>
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => ask(false)}>
              {t('unsaved.keep')}
            </Button>
            <Button size="compact-sm" color="red.9" onClick={onClose}>
              {t('unsaved.discard')}
            </Button>
          </Group>
        </Group>
      </Alert>
    ),
  };
}
