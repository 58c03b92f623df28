import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
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
  const [name, setName] = useState(profile.name);
  const [isWanting, setWanting] = useState(false);
  const naming = useMutation({
    mutationFn: rename,
    onSuccess: async (_, saved) => {
      setName(saved);
      notify({ message: t('profile.saved') });
      await queryClient.invalidateQueries({ queryKey: profileQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWanting(name.trim() === '');
    if (name.trim() !== '') naming.mutate(name.trim());
  };
  return (
    <Section title={t('profile.title')} about={t('profile.about')}>
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={t('profile.name')}
              autoComplete="name"
              maxLength={100}
              value={name}
              error={isWanting && t('profile.nameRequired')}
              onChange={({ currentTarget: { value } }) => {
                setName(value);
                setWanting(false);
              }}
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
            <Button
              type="submit"
              variant="default"
              disabled={name === profile.name}
              loading={naming.isPending}
            >
              {t('profile.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
