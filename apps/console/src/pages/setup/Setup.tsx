import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/result.ts';
import { setUp } from '../../api/setup.ts';
import { FormError } from '../../shared/FormError.tsx';
import { isPassword, NewPassword } from '../../shared/NewPassword.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { AuthLayout } from '../../shell/AuthLayout.tsx';
import { useEnter } from '../../shell/use-enter.ts';
import { PasswordField } from '../../shared/PasswordField.tsx';

export const page = createLazyRoute('/setup')({ component: Setup });

/** The first owner of a new deployment. A token behind the `#` of the address is filled in: it is sent to nobody. */
function Setup() {
  const { t } = useTranslation(['setup', 'common']);
  const errorText = useErrorText();
  const required = (text: string) => (text.trim() === '' ? t('required') : null);
  const form = useForm({
    initialValues: {
      token: decodeURIComponent(window.location.hash.slice(1)),
      account_name: '',
      name: '',
      email: '',
      password: '',
    },
    validate: {
      token: required,
      account_name: required,
      name: required,
      email: (email) => (/^\S+@\S+$/.test(email) ? null : t('emailRequired')),
      password: (password) => (isPassword(password) ? null : t('passwordTooShort', { ns: 'common' })),
    },
  });
  const entering = useMutation({
    mutationFn: setUp,
    onSuccess: useEnter(),
    onError: (error) => {
      if (error instanceof ApiError && error.param !== null && error.param in form.values)
        form.setFieldError(error.param, errorText(error));
    },
  });
  const isGeneral = Object.keys(form.errors).length === 0;

  return (
    <AuthLayout title={t('title')} about={t('about')}>
      <form noValidate onSubmit={form.onSubmit((values) => entering.mutate(values))}>
        <Stack gap="md">
          <PasswordField
            label={t('token')}
            description={t('tokenAbout')}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t('showToken') }}
            {...form.getInputProps('token')}
          />
          <TextInput
            label={t('account')}
            placeholder={t('accountSuch')}
            autoComplete="organization"
            maxLength={100}
            {...form.getInputProps('account_name')}
          />
          <TextInput label={t('name')} autoComplete="name" maxLength={100} {...form.getInputProps('name')} />
          <TextInput
            label={t('email')}
            type="email"
            autoComplete="username"
            {...form.getInputProps('email')}
          />
          <NewPassword label={t('password')} {...form.getInputProps('password')} />
          <FormError error={isGeneral ? entering.error : null} />
          <Button type="submit" size="md" fullWidth loading={entering.isPending}>
            {t('submit')}
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}
