import { Code, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addTotp, beginTotp } from '../api/factors.ts';
import { Copy } from '../shared/Copy.tsx';
import { Failed, LoadingRows } from '../shared/States.tsx';
import { takeFocus } from '../shared/take-focus.ts';
import { AddForm, type AddProps } from './AddForm.tsx';
import { QrCode } from './QrCode.tsx';
import classes from './Factors.module.css';

/** Adds an authenticator app: a square to scan, and a code that shows that it was. */
export function AddTotp({ onAdded, onCancel }: AddProps) {
  const { t } = useTranslation('security');
  const [code, setCode] = useState('');
  // A secret is made once for each time that this is shown.
  const begun = useQuery({
    queryKey: ['new-totp'],
    queryFn: beginTotp,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  const adding = useMutation({ mutationFn: addTotp, onSuccess: onAdded });
  if (begun.error) return <Failed error={begun.error} onRetry={() => void begun.refetch()} />;
  if (!begun.data) return <LoadingRows rows={3} />;
  const { secret, uri } = begun.data;
  return (
    <AddForm
      submit={t('totp.submit')}
      error={adding.error}
      isPending={adding.isPending}
      onSubmit={() => {
        if (code.trim() !== '') adding.mutate(code.trim());
      }}
      {...(onCancel ? { onCancel } : {})}
    >
      <Text size="sm">{t('totp.scan')}</Text>
      <QrCode text={uri} label={t('totp.square')} />
      <div>
        <Text size="sm">{t('totp.orType')}</Text>
        <Group gap="xs" wrap="nowrap">
          <Code className={classes.secret}>{inFours(secret)}</Code>
          <Copy text={secret} what={t('totp.secret')} />
        </Group>
      </div>
      <TextInput
        label={t('totp.code')}
        autoComplete="one-time-code"
        inputMode="numeric"
        ref={takeFocus}
        value={code}
        onChange={({ currentTarget: { value } }) => setCode(value)}
      />
    </AddForm>
  );
}

/** As people read it to type it; apps leave the spaces out. */
const inFours = (secret: string): string => (secret.match(/.{1,4}/g) ?? []).join(' ');
