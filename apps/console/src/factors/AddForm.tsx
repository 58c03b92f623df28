import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Added } from '../api/factors.ts';
import { FormError } from '../shared/FormError.tsx';

export interface AddProps {
  readonly onAdded: (added: Added) => void;
  readonly onCancel?: () => void;
}

interface AddFormProps extends Pick<AddProps, 'onCancel'> {
  /** What the button says that adds it. */
  readonly submit: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** What is filled in to add a second factor, why that was refused, and the buttons to add it or not. */
export function AddForm({ submit, error, isPending, onSubmit, onCancel, children }: AddFormProps) {
  const { t } = useTranslation('common');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap="md">
        {children}
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t('cancel')}
            </Button>
          )}
          <Button type="submit" loading={isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
