import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ownSessionsQuery, setOwnPassword } from '../../api/me.ts';
import { ApiError } from '../../api/result.ts';
import { FormError } from '../../shared/FormError.tsx';
import { isPassword, NewPassword } from '../../shared/NewPassword.tsx';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { Section } from './Section.tsx';
import { PasswordField } from '../../shared/PasswordField.tsx';

const EMPTY = { current_password: '', password: '' };
type Field = keyof typeof EMPTY;
const FIELDS: readonly Field[] = ['current_password', 'password'];

/** The field that a refusal names. */
const refusedField = (error: Error | null): Field | undefined =>
  error instanceof ApiError ? FIELDS.find((field) => field === error.param) : undefined;

export function PasswordPanel({ email }: { readonly email: string }) {
  const { t } = useTranslation(['settings', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const [values, setValues] = useState(EMPTY);
  const [faults, setFaults] = useState<{ readonly [field in Field]?: string }>({});
  const changing = useMutation({
    mutationFn: setOwnPassword,
    onSuccess: async () => {
      setValues(EMPTY);
      notify({ message: t('password.changed') });
      await queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey });
    },
    onError: (error) => {
      const field = refusedField(error);
      if (field !== undefined) setFaults({ [field]: errorText(error) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = {
      ...(values.current_password === '' ? { current_password: t('password.currentRequired') } : {}),
      ...(isPassword(values.password) ? {} : { password: t('passwordTooShort', { ns: 'common' }) }),
    };
    setFaults(found);
    if (Object.keys(found).length === 0) changing.mutate(values);
  };
  const inputOf = (field: Field) => ({
    value: values[field],
    error: faults[field],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
      setValues((before) => ({ ...before, [field]: value }));
      setFaults((before) => ({ ...before, [field]: undefined }));
    },
  });
  return (
    <Section title={t('password.title')} about={t('password.about')}>
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <PasswordField
              label={t('password.current')}
              description={t('password.currentAbout')}
              autoComplete="current-password"
              {...inputOf('current_password')}
            />
            <NewPassword label={t('password.new')} {...inputOf('password')} />
          </SimpleGrid>
          <FormError error={refusedField(changing.error) === undefined ? changing.error : null} />
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
