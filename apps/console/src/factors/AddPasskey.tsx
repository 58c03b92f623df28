import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Added, addPasskey } from '../api/factors.ts';
import { FormError } from '../shared/FormError.tsx';

interface AddProps {
  readonly onAdded: (added: Added) => void;
  readonly onCancel?: () => void;
}

/** Adds a passkey of this device, or of one beside it. */
export function AddPasskey({ onAdded, onCancel }: AddProps) {
  const { t } = useTranslation(['security', 'common']);
  const [name, setName] = useState('');
  const adding = useMutation({ mutationFn: addPasskey, onSuccess: onAdded });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate(name.trim() === '' ? t('passkeys.someName') : name.trim());
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t('passkeys.name')}
          description={t('passkeys.nameAbout')}
          maxLength={100}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <FormError error={adding.error} />
        <Group>
          <Button type="submit" loading={adding.isPending}>
            {t('passkeys.add')}
          </Button>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t('cancel', { ns: 'common' })}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
