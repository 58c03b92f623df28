import { Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiKey, changeKey, KEYS } from '../../api/keys.ts';
import { membersQuery } from '../../api/members.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

interface OwnerDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** For operators: whose a key is, of the people of its account, or the account's own. */
export default function OwnerDialog({ apiKey, onClose }: OwnerDialogProps) {
  const { t } = useTranslation('keys');
  const queryClient = useQueryClient();
  const people = useLookup(membersQuery(apiKey.account_id)).data?.items ?? [];
  const [owner, setOwner] = useState(apiKey.owner_id);
  const saving = useMutation({
    mutationFn: () => changeKey(apiKey.id, { owner_id: owner }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: KEYS });
    },
  });
  return (
    <FormDialog
      title={t('owning.title', { name: apiKey.name })}
      submit={t('changing.submit')}
      error={saving.error}
      isPending={saving.isPending}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Select
        label={t('columns.owner')}
        description={t('owning.about')}
        placeholder={t('owners.account')}
        clearable
        searchable
        data={people.map(({ id, email, name }) => ({
          value: id,
          label: name ? `${name} · ${email}` : email,
        }))}
        value={owner}
        onChange={setOwner}
      />
    </FormDialog>
  );
}
