import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Added, addTotp, beginTotp } from '../api/factors.ts';
import { Copy } from '../shared/Copy.tsx';
import { FormError } from '../shared/FormError.tsx';
import { Failed, LoadingRows } from '../shared/States.tsx';
import { QrCode } from './QrCode.tsx';

interface AddProps {
  readonly onAdded: (added: Added) => void;
  readonly onCancel?: () => void;
}

/** Adds an authenticator app: a square to scan, and a code that shows that it was. */
export function AddTotp({ onAdded, onCancel }: AddProps) {
  const { t } = useTranslation(['security', 'common']);
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() !== '') adding.mutate(code.trim());
  };
  if (begun.error) return <Failed error={begun.error} onRetry={() => void begun.refetch()} />;
  if (!begun.data) return <LoadingRows rows={3} />;
  const { secret, uri } = begun.data;
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{t('totp.scan')}</Text>
        <QrCode text={uri} label={t('totp.square')} />
        <div>
          <Text size="sm">{t('totp.orType')}</Text>
          <Group gap="xs" wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{secret}</Code>
            <Copy text={secret} what={t('totp.secret')} />
          </Group>
        </div>
        <TextInput
          label={t('totp.code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          value={code}
          onChange={({ currentTarget: { value } }) => setCode(value)}
        />
        <FormError error={adding.error} />
        <Group>
          <Button type="submit" loading={adding.isPending}>
            {t('totp.submit')}
          </Button>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t('cancel', { ns: 'common' })}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
