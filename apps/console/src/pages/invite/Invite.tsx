import { Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { linkQuery, type OpenedLink, takeLink } from '../../api/members.ts';
import { FormError } from '../../shared/FormError.tsx';
import { isPassword, NewPassword } from '../../shared/NewPassword.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { takeFocus } from '../../shared/take-focus.ts';
import { AuthLayout } from '../../shell/AuthLayout.tsx';
import { useEnter } from '../../shell/use-enter.ts';

export const page = createLazyRoute('/invite')({ component: Invite });

/** Where a link leads that works once: to join an account, or to a new password. Its token stands behind the `#`. */
function Invite() {
  const { t } = useTranslation(['invite', 'common']);
  // Undefined while the next page is loaded: the token is used up by then, and is asked about no more.
  const here = useLocation({ select: ({ pathname, hash }) => (pathname === '/invite' ? hash : undefined) });
  const token = here ?? '';
  const errorText = useErrorText();
  const {
    data: link,
    error,
    refetch,
    isFetching,
  } = useQuery({ ...linkQuery(token), enabled: here !== undefined });
  if (error && !link) {
    return (
      <AuthLayout title={t('badTitle')} about={errorText(error)}>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {t('failed.retry', { ns: 'common' })}
        </Button>
        <Button renderRoot={(props) => <Link {...props} to="/sign-in" />}>
          {t('signIn', { ns: 'common' })}
        </Button>
      </AuthLayout>
    );
  }
  if (!link) {
    return (
      <AuthLayout title={t('title')} about={t('loading', { ns: 'common' })}>
        <Stack role="status" aria-label={t('loading', { ns: 'common' })}>
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      </AuthLayout>
    );
  }
  const isInvite = link.kind === 'invite';
  return (
    <AuthLayout
      title={isInvite ? t('join', { account: link.account_name }) : t('reset')}
      about={
        isInvite
          ? t('joinAbout', {
              by: link.invited_by,
              role: t(`roles.${link.role ?? 'member'}`, { ns: 'common' }),
            })
          : t('resetAbout')
      }
    >
      <LinkForm token={token} link={link} />
    </AuthLayout>
  );
}

function LinkForm({ token, link }: { readonly token: string; readonly link: OpenedLink }) {
  const { t } = useTranslation(['invite', 'common']);
  const isInvite = link.kind === 'invite';
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: {
      name: (name) => (isInvite && name.trim() === '' ? t('nameRequired') : null),
      password: (password) => (isPassword(password) ? null : t('passwordTooShort', { ns: 'common' })),
    },
  });
  const entering = useMutation({
    mutationFn: ({ name, password }: typeof form.values) =>
      takeLink({ token, password, ...(isInvite ? { name } : {}) }),
    onSuccess: useEnter(),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => entering.mutate(values))}>
      <Stack gap="md">
        <TextInput label={t('email')} value={link.email} readOnly autoComplete="username" type="email" />
        {isInvite && (
          <TextInput
            label={t('name')}
            autoComplete="name"
            maxLength={100}
            ref={takeFocus}
            {...form.getInputProps('name')}
          />
        )}
        <NewPassword label={t('password')} {...form.getInputProps('password')} />
        <FormError error={entering.error} />
        <Button type="submit" size="md" fullWidth loading={entering.isPending}>
          {t(isInvite ? 'submitJoin' : 'submitReset')}
        </Button>
      </Stack>
    </form>
  );
}
