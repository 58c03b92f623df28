import { Button, Group, PasswordInput, SimpleGrid, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ownSessionsQuery, setOwnPassword } from '../../api/me.ts';
import { ApiError } from '../../api/result.ts';
import { FormError } from '../../shared/FormError.tsx';
import { isPassword, NewPassword } from '../../shared/NewPassword.tsx';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { Section } from './Section.tsx';

export function PasswordPanel({ email }: { readonly email: string }) {
  const { t } = useTranslation(['settings', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const form = useForm({
    initialValues: { current_password: '', password: '' },
    validate: {
      current_password: (text) => (text === '' ? t('password.currentWanted') : null),
      password: (text) => (isPassword(text) ? null : t('passwordTooShort', { ns: 'common' })),
    },
  });
  const changing = useMutation({
    mutationFn: setOwnPassword,
    onSuccess: async () => {
      form.reset();
      notify({ message: t('password.changed') });
      await queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.param !== null && error.param in form.values)
        form.setFieldError(error.param, errorText(error));
    },
  });
  const isGeneral = Object.keys(form.errors).length === 0;
  return (
    <Section title={t('password.title')} about={t('password.about')}>
      <form noValidate onSubmit={form.onSubmit((values) => changing.mutate(values))}>
        <Stack gap="md">
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <PasswordInput
              label={t('password.current')}
              description={t('password.currentAbout')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('showPassword', { ns: 'common' }) }}
              {...form.getInputProps('current_password')}
            />
            <NewPassword label={t('password.new')} {...form.getInputProps('password')} />
          </SimpleGrid>
          <FormError error={isGeneral ? changing.error : null} />
          <Group>
            <Button type="submit" variant="default" loading={changing.isPending}>
              {t('password.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
