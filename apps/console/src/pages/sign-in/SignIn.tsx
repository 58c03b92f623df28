import { Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { createLazyRoute, Link, Navigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { passkeySiteQuery, signInByPasskey } from '../../api/passkeys.ts';
import { signIn } from '../../api/session.ts';
import { departToProvider, providerQuery, setupQuery } from '../../api/setup.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { FormError } from '../../shared/FormError.tsx';
import { takeFocus } from '../../shared/take-focus.ts';
import { AuthLayout } from '../../shell/AuthLayout.tsx';
import { useEnter } from '../../shell/use-enter.ts';
import { useLookup } from '../../shared/use-lookup.ts';
import { PasswordField } from '../../shared/PasswordField.tsx';

const SecondStep = lazy(async () => {
  const [step] = await Promise.all([import('./SecondStep.tsx'), loadWords(['security'])]);
  return step;
});

export const page = createLazyRoute('/sign-in')({ component: SignIn });

function SignIn() {
  const { t } = useTranslation(['sign-in', 'common']);
  const { next, problem, step } = page.useSearch();
  const setup = useLookup(setupQuery).data;
  const provider = useLookup(providerQuery).data;
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (/^\S+@\S+$/.test(email) ? null : t('emailRequired')),
      password: (password) => (password === '' ? t('passwordRequired') : null),
    },
  });
  const hasPasskeys = useLookup(passkeySiteQuery).data === true;
  const enter = useEnter(next);
  const entering = useMutation({ mutationFn: signIn, onSuccess: enter });
  const byPasskey = useMutation({ mutationFn: signInByPasskey, onSuccess: enter });
  const byProvider = useMutation({ mutationFn: departToProvider });
  if (setup?.needed) return <Navigate to="/setup" replace />;

  if (step) {
    return (
      <Suspense>
        <SecondStep next={next} />
      </Suspense>
    );
  }

  return (
    <AuthLayout
      title={t('title')}
      about={t('about')}
      below={
        <Text size="sm" c="dimmed" ta="center">
          {t('forgot')}
          <br />
          <Anchor component={Link} to="/models" inherit underline="always">
            {t('models')}
          </Anchor>
        </Text>
      }
    >
      {problem !== undefined && !entering.error && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {t(`problems.${problem}`)}
        </Text>
      )}
      <form noValidate onSubmit={form.onSubmit((values) => entering.mutate(values))}>
        <Stack gap="md">
          <TextInput
            label={t('email')}
            type="email"
            autoComplete="username"
            ref={takeFocus}
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <PasswordField
            label={t('password')}
            autoComplete="current-password"
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          <FormError error={entering.error} />
          <Button type="submit" size="md" fullWidth loading={entering.isPending}>
            {t('submit')}
          </Button>
        </Stack>
      </form>
      {(provider?.enabled || hasPasskeys) && <Divider label={t('or')} />}
      {hasPasskeys && (
        <Button
          variant="default"
          size="md"
          fullWidth
          loading={byPasskey.isPending}
          onClick={() => byPasskey.mutate()}
        >
          {t('byPasskey')}
        </Button>
      )}
      <FormError error={byPasskey.error} />
      {provider?.enabled && (
        <Button
          variant="default"
          size="md"
          fullWidth
          loading={byProvider.isPending || byProvider.isSuccess}
          onClick={() => byProvider.mutate({ next: next ?? '/' })}
        >
          {t('with', { provider: provider.name })}
        </Button>
      )}
      <FormError error={byProvider.error} />
    </AuthLayout>
  );
}
