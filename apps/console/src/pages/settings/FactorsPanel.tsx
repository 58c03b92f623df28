import { Alert, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Added, type Factors, factorsQuery, newRecoveryCodes, removeTotp } from '../../api/factors.ts';
import { AddTotp } from '../../factors/AddTotp.tsx';
import { RecoveryCodes } from '../../factors/RecoveryCodes.tsx';
import { notify } from '../../shared/notify.ts';
import { Failed, LoadingRows, useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { PasskeyList } from './PasskeyList.tsx';
import { Section } from './Section.tsx';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

/** One's own second factors: how one gets, names and loses them. */
export default function FactorsPanel() {
  const { t } = useTranslation(['security', 'common']);
  const { data, error, refetch } = useQuery(factorsQuery);
  return (
    <Section title={t('title')} about={t('about')}>
      {!data && !error && <LoadingRows rows={3} />}
      {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <FactorList factors={data} />}
    </Section>
  );
}

function FactorList({ factors }: { readonly factors: Factors }) {
  const { t } = useTranslation(['security', 'common']);
  const format = useFormat();
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const [doing, setDoing] = useState<'add-totp' | 'remove-totp' | 'new-codes' | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const settled = () => queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey });
  const outcome = {
    onError: (failure: Error) => notify({ color: 'red', title: t('refused'), message: errorText(failure) }),
    onSettled: settled,
  };
  const removing = useMutation({
    mutationFn: removeTotp,
    ...outcome,
    onSuccess: () => notify({ message: t('totp.removed') }),
  });
  const renewing = useMutation({
    mutationFn: newRecoveryCodes,
    ...outcome,
    onSuccess: ({ recovery_codes }) => setCodes(recovery_codes),
  });
  const added = (words: string) => (result: Added) => {
    setDoing(null);
    setCodes(result.recovery_codes);
    notify({ message: words });
    void settled();
  };
  const { totp, passkeys, last_reset: reset } = factors;
  const hasFactor = totp !== null || passkeys.length > 0;
  return (
    <Stack gap="lg">
      {reset && !hasFactor && (
        <Alert color="orange" variant="light">
          {t('reset', { by: reset.by, when: format.fromNow(reset.at) })}
        </Alert>
      )}
      {factors.is_required && (
        <Text size="sm" c="dimmed">
          {t('required')}
        </Text>
      )}
      <div>
        <Group justify="space-between" gap="sm">
          <Title order={3} size="h4">
            {t('totp.title')}
          </Title>
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => setDoing('add-totp')}>
              {t(totp ? 'totp.replace' : 'totp.add')}
            </Button>
            {totp && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('totp.remove')}
                onClick={() => setDoing('remove-totp')}
              >
                {t('passkeys.remove')}
              </Button>
            )}
          </Group>
        </Group>
        <Text size="sm" c="dimmed" mt={4}>
          {totp
            ? t(totp.last_used_at === null ? 'unused' : 'used', {
                since: format.day(totp.created_at),
                used: totp.last_used_at === null ? '' : format.fromNow(totp.last_used_at),
              })
            : t('totp.none')}
        </Text>
      </div>
      <PasskeyList factors={factors} onAdded={added(t('passkeys.added'))} />
      {hasFactor && (
        <div>
          <Group justify="space-between" gap="sm">
            <Title order={3} size="h4">
              {t('codes.title')}
            </Title>
            <Button
              size="compact-sm"
              variant="default"
              loading={renewing.isPending}
              onClick={() => setDoing('new-codes')}
            >
              {t('codes.new')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed" mt={4}>
            {t('codes.left', { number: factors.recovery_codes_left })}
          </Text>
        </div>
      )}
      <Modal
        opened={doing === 'add-totp'}
        onClose={() => setDoing(null)}
        title={t('totp.add')}
        closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
      >
        <AddTotp onAdded={added(t('totp.added'))} onCancel={() => setDoing(null)} />
      </Modal>
      <Modal
        opened={codes !== null}
        onClose={() => setCodes(null)}
        title={t('codes.title')}
        withCloseButton={false}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <RecoveryCodes codes={codes ?? []} onDone={() => setCodes(null)} />
      </Modal>
      {(doing === 'remove-totp' || doing === 'new-codes') && (
        <Suspense>
          <ConfirmDialog
            title={t(doing === 'remove-totp' ? 'totp.remove' : 'codes.newTitle')}
            about={t(doing === 'remove-totp' ? 'totp.removeAbout' : 'codes.newAbout')}
            submit={t(doing === 'remove-totp' ? 'passkeys.remove' : 'codes.new')}
            onClose={() => setDoing(null)}
            onConfirm={() => {
              setDoing(null);
              if (doing === 'remove-totp') removing.mutate();
              else renewing.mutate();
            }}
          />
        </Suspense>
      )}
    </Stack>
  );
}
