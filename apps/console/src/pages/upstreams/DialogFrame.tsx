import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../shared/States.tsx';

interface DialogFrameProps {
  readonly title: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly children: ReactNode;
}

/** A dialog around a form whose change is published at once. */
export function DialogFrame({ title, error, isPending, onClose, onSubmit, children }: DialogFrameProps) {
  const { t } = useTranslation(['upstreams', 'common']);
  const errorText = useErrorText();
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <form noValidate onSubmit={onSubmit}>
        <Stack gap="md">
          {children}
          {error && (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {errorText(error)}
            </Text>
          )}
          <Group justify="space-between" gap="xs">
            <Text size="xs" c="dimmed">
              {t('atOnce')}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {t('cancel', { ns: 'common' })}
              </Button>
              <Button type="submit" loading={isPending}>
                {t('publish')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
