import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addPasskey } from '../api/factors.ts';
import { AddForm, type AddProps } from './AddForm.tsx';

/** Adds a passkey of this device, or of one beside it. */
export function AddPasskey({ onAdded, onCancel }: AddProps) {
  const { t } = useTranslation('security');
  const [name, setName] = useState('');
  const adding = useMutation({ mutationFn: addPasskey, onSuccess: onAdded });
  return (
    <AddForm
      submit={t('passkeys.add')}
      error={adding.error}
      isPending={adding.isPending}
      onSubmit={() => adding.mutate(name.trim() === '' ? t('passkeys.someName') : name.trim())}
      {...(onCancel ? { onCancel } : {})}
    >
      <TextInput
        label={t('passkeys.name')}
        description={t('passkeys.nameAbout')}
        maxLength={100}
        data-autofocus
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
    </AddForm>
  );
}
