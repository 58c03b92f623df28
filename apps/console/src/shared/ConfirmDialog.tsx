import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ConfirmDialogProps {
  readonly title: string;
  readonly about: string;
  readonly submit: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks before what cannot be taken back. */
export default function ConfirmDialog({ title, about, submit, onClose, onConfirm }: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} centered title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack>
        <Text size="sm">{about}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button color="red.9" onClick={onConfirm}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
