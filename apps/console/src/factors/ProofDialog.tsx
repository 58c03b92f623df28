import { Button, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { proofQuery, proveBy, proveByPasskey } from '../api/factors.ts';
import { departToProvider } from '../api/setup.ts';
import { FormDialog } from '../shared/FormDialog.tsx';
import { LoadingRows } from '../shared/States.tsx';
import { takeFocus } from '../shared/take-focus.ts';
import { PasswordField } from '../shared/PasswordField.tsx';

/** Asks whoever is signed in to prove once more who they are. */
export default function ProofDialog({ onEnd }: { readonly onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation(['security', 'common']);
  const { data, error } = useQuery(proofQuery);
  const [text, setText] = useState('');
  const methods = data?.methods ?? [];
  const byPassword = methods.includes('password');
  const byCode = methods.includes('totp') || methods.includes('recovery_code');
  const proved = { onSuccess: () => onEnd(true) };
  const proving = useMutation({
    mutationFn: () => proveBy(byPassword ? { password: text } : { code: text.trim() }),
    ...proved,
  });
  const byPasskey = useMutation({ mutationFn: proveByPasskey, ...proved });
  const byProvider = useMutation({ mutationFn: departToProvider });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (methods.includes('provider')) {
      const here = window.location.pathname + window.location.search;
      byProvider.mutate({ next: here, again: 'yes' });
    } else if (byPassword || (byCode && text !== '')) proving.mutate();
    else if (methods.includes('passkey')) byPasskey.mutate();
  };
  const onlyPasskey = methods.includes('passkey') && !byCode;
  return (
    <FormDialog
      centered
      title={t('proof.title')}
      submit={t(methods.includes('provider') ? 'proof.provider' : onlyPasskey ? 'byPasskey' : 'proof.submit')}
      error={error ?? proving.error ?? byPasskey.error ?? byProvider.error}
      isPending={proving.isPending || byPasskey.isPending || byProvider.isPending}
      onClose={() => onEnd(false)}
      onSubmit={submit}
    >
      <Text size="sm">{t('proof.about')}</Text>
      {!data && !error && <LoadingRows rows={1} />}
      {byPassword && (
        <PasswordField
          label={t('proof.password')}
          autoComplete="current-password"
          data-autofocus
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
      )}
      {methods.includes('passkey') && byCode && (
        <Button variant="default" loading={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          {t('byPasskey')}
        </Button>
      )}
      {byCode && (
        <TextInput
          label={t('code')}
          description={t(methods.includes('totp') ? 'codeAbout' : 'recoveryAbout')}
          autoComplete="one-time-code"
          ref={methods.includes('passkey') ? undefined : takeFocus}
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
      )}
    </FormDialog>
  );
}
