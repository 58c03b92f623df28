import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { invite, type MadeLink, PEOPLE } from '../../api/people.ts';
import { ApiError } from '../../api/result.ts';
import type { Role, Session } from '../../api/session.ts';
import { FormError } from '../../shared/FormError.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { rolesFor } from './may.ts';

interface InviteDialogProps {
  readonly account: string;
  readonly session: Session;
  readonly onClose: () => void;
  readonly onMade: (link: MadeLink) => void;
}

export default function InviteDialog(props: InviteDialogProps) {
  const { t } = useTranslation(['users', 'common']);
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t('invite')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <InviteForm {...props} />
    </Modal>
  );
}

function InviteForm({ account, session, onClose, onMade }: InviteDialogProps) {
  const { t } = useTranslation(['users', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (email) => (/^\S+@\S+\.\S+$/.test(email) ? null : t('emailWanted')) },
  });
  const inviting = useMutation({
    mutationFn: (values: typeof form.values) => invite(account, values),
    onSuccess: async (link) => {
      onMade(link);
      await queryClient.invalidateQueries({ queryKey: PEOPLE });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.param === 'email') form.setFieldError('email', errorText(error));
    },
  });
  const isGeneral = Object.keys(form.errors).length === 0;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => inviting.mutate(values))}>
      <Stack gap="md">
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
        <FormError error={isGeneral ? inviting.error : null} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit" loading={inviting.isPending}>
            {t('makeLink')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
