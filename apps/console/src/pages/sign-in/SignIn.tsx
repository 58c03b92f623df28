import { Anchor, Button, Center, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, Link, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { sessionQuery, signIn } from '../../api/session.ts';
import { Panel } from '../../shared/Panel.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { Logo } from '../../shell/Logo.tsx';
import { Preferences } from './Preferences.tsx';
import classes from './SignIn.module.css';

export const page = createLazyRoute('/sign-in')({ component: SignIn });

function SignIn() {
  const { t } = useTranslation(['sign-in', 'common']);
  const router = useRouter();
  const queryClient = useQueryClient();
  const { next } = page.useSearch();
  const errorText = useErrorText();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (/^\S+@\S+$/.test(email) ? null : t('emailWanted')),
      password: (password) => (password === '' ? t('passwordWanted') : null),
    },
  });
  const entering = useMutation({
    mutationFn: signIn,
    onSuccess: async (session) => {
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      await router.navigate({ href: next ?? '/', replace: true });
    },
  });

  return (
    <Center component="main" className={classes.page}>
      <Stack gap="lg" className={classes.column}>
        <Logo />
        <Panel p={{ base: 'lg', xs: 'xl' }}>
          <form noValidate onSubmit={form.onSubmit((values) => entering.mutate(values))}>
            <Stack gap="md">
              <div>
                <Title order={1}>{t('title')}</Title>
                <Text c="dimmed" size="sm" mt={4}>
                  {t('about')}
                </Text>
              </div>
              <TextInput
                label={t('email')}
                type="email"
                autoComplete="username"
                autoFocus
                key={form.key('email')}
                {...form.getInputProps('email')}
              />
              <PasswordInput
                label={t('password')}
                autoComplete="current-password"
                visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
                key={form.key('password')}
                {...form.getInputProps('password')}
              />
              {entering.error && (
                <Text role="alert" size="sm" c="var(--mantine-color-error)">
                  {errorText(entering.error)}
                </Text>
              )}
              <Button type="submit" size="md" fullWidth loading={entering.isPending}>
                {t('submit')}
              </Button>
            </Stack>
          </form>
        </Panel>
        <Text size="sm" c="dimmed" ta="center">
          <Anchor component={Link} to="/models" inherit underline="always">
            {t('models')}
          </Anchor>
        </Text>
        <Preferences />
      </Stack>
    </Center>
  );
}
