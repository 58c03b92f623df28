import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import { removeEntry } from '../../api/upstreams.ts';
import { useErrorText } from '../../shared/States.tsx';
import { usePublishing } from './use-publishing.ts';

interface RemoveDialogProps {
  readonly live: Published;
  readonly section: 'upstreams' | 'pools';
  readonly name: string;
  readonly onClose: () => void;
}

/** Asks first: an upstream that comes back needs its credentials again. */
export default function RemoveDialog({ live, section, name, onClose }: RemoveDialogProps) {
  const { t } = useTranslation(['upstreams', 'common']);
  const errorText = useErrorText();
  const removing = usePublishing(() => removeEntry(live, section, name));
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      title={t('removing.title', { name })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack>
        <Text size="sm">{t(`removing.${section}`)}</Text>
        {removing.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(removing.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button
            color="red.9"
            loading={removing.isPending}
            onClick={() => removing.mutate(undefined, { onSuccess: onClose })}
          >
            {t('remove')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
