import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Profile, profileQuery, rename } from '../../api/me.ts';
import { FormError } from '../../shared/FormError.tsx';
import { notify } from '../../shared/notify.ts';
import { Section } from './Section.tsx';
import classes from './Settings.module.css';

const fixed = { input: classes.fixed ?? '' };

export function ProfilePanel({ profile }: { readonly profile: Profile }) {
  const { t } = useTranslation(['settings', 'common']);
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: profile.name },
    validate: { name: (name) => (name.trim() === '' ? t('profile.nameWanted') : null) },
  });
  const naming = useMutation({
    mutationFn: ({ name }: { name: string }) => rename(name.trim()),
    onSuccess: async () => {
      form.resetDirty();
      notify({ message: t('profile.saved') });
      await queryClient.invalidateQueries({ queryKey: profileQuery.queryKey });
    },
  });
  return (
    <Section title={t('profile.title')} about={t('profile.about')}>
      <form noValidate onSubmit={form.onSubmit((values) => naming.mutate(values))}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={t('profile.name')}
              autoComplete="name"
              maxLength={100}
              {...form.getInputProps('name')}
            />
            <TextInput label={t('profile.email')} value={profile.email} readOnly classNames={fixed} />
            <TextInput
              label={t('profile.account')}
              value={profile.account_name}
              readOnly
              classNames={fixed}
            />
            <TextInput
              label={t('profile.role')}
              value={t(`roles.${profile.role}`, { ns: 'common' })}
              readOnly
              classNames={fixed}
            />
          </SimpleGrid>
          <FormError error={naming.error} />
          <Group>
            <Button type="submit" variant="default" disabled={!form.isDirty()} loading={naming.isPending}>
              {t('profile.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
