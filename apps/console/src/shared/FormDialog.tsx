import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FailedLookups } from './FailedLookups.tsx';
import { FormError } from './FormError.tsx';
import { useUnsaved } from './use-unsaved.tsx';

interface FormDialogProps extends Pick<ModalProps, 'size' | 'centered'> {
  readonly title: string;
  /** What the button says that sends the form. */
  readonly submit: string;
  readonly isDanger?: boolean;
  /** What stands beside the buttons, quietly. */
  readonly note?: string;
  /** Why the form as a whole was refused. */
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly children: ReactNode;
}

/** A dialog around a form: its fields, what went wrong, and the buttons to leave and to send. */
export function FormDialog({
  title,
  submit,
  isDanger = false,
  note,
  error,
  isPending,
  onClose,
  onSubmit,
  children,
  ...props
}: FormDialogProps) {
  const { t } = useTranslation();
  const unsaved = useUnsaved(onClose);
  return (
    <Modal
      opened
      onClose={unsaved.close}
      // What is typed is not lost to a click beside it.
      closeOnClickOutside={false}
      title={title}
      closeButtonProps={{ 'aria-label': t('close') }}
      {...props}
    >
      <form noValidate onSubmit={onSubmit} onChange={unsaved.onChange}>
        <Stack gap="md">
          <FailedLookups />
          {children}
          <FormError error={error} />
          {unsaved.question}
          <Group justify={note === undefined ? 'flex-end' : 'space-between'} gap="xs">
            {note !== undefined && (
              <Text size="xs" c="dimmed">
                {note}
              </Text>
            )}
            <Group gap="xs" ml="auto">
              <Button variant="default" onClick={onClose}>
                {t('cancel')}
              </Button>
              <Button type="submit" loading={isPending} {...(isDanger ? { color: 'red.9' } : {})}>
                {submit}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
