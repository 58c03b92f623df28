import { Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Role } from '@tollgate/vocabulary';
import { invite, type MadeLink, MEMBERS } from '../../api/members.ts';
import type { SignedIn } from '../../api/session.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { useRefusedField } from '../../shared/use-refused-field.ts';
import { rolesFor } from './member-permissions.ts';

interface InviteDialogProps {
  readonly account: string;
  readonly session: SignedIn;
  readonly onClose: () => void;
  readonly onMade: (link: MadeLink) => void;
}

export default function InviteDialog({ account, session, onClose, onMade }: InviteDialogProps) {
  const { t } = useTranslation(['users', 'common']);
  const queryClient = useQueryClient();
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (email) => (/^\S+@\S+\.\S+$/.test(email) ? null : t('emailRequired')) },
  });
  const refused = useRefusedField(form, { email: 'email' });
  const inviting = useMutation({
    mutationFn: (values: typeof form.values) => invite(account, values),
    onSuccess: async (link) => {
      onMade(link);
      await queryClient.invalidateQueries({ queryKey: MEMBERS });
    },
    onError: (error) => refused.onError(error),
  });
  return (
    <FormDialog
      title={t('invite')}
      submit={t('makeLink')}
      error={refused.general(inviting.error)}
      isPending={inviting.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => inviting.mutate(values))}
    >
      <TextInput
        label={t('columns.email')}
        type="email"
        placeholder={t('emailSuch')}
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
      <Radio.Group label={t('columns.role')} {...form.getInputProps('role')}>
        <Stack gap="xs" mt={6}>
          {rolesFor(session).map((role) => (
            <Radio
              key={role}
              value={role}
              label={t(`roles.${role}`, { ns: 'common' })}
              description={t(`roleMeans.${role}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
