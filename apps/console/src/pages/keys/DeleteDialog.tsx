import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';

interface DeleteDialogProps {
  readonly doomed: ApiKey;
  readonly onClose: () => void;
  readonly onDelete: (key: ApiKey) => void;
}

/** Asks first: a deleted key does not come back. */
export default function DeleteDialog({ doomed, onClose, onDelete }: DeleteDialogProps) {
  const { t } = useTranslation(['keys', 'common']);
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={t('deleting.title', { name: doomed.name })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack>
        <Text size="sm">{t('deleting.about')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button color="red.9" onClick={() => onDelete(doomed)}>
            {t('deleting.submit')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
