import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Added, showCode, showPasskey, stepQuery } from '../../api/factors.ts';
import { passkeySiteQuery } from '../../api/passkeys.ts';
import { ApiError } from '../../api/result.ts';
import type { SecondStep as Step } from '../../api/session.ts';
import { AddPasskey } from '../../factors/AddPasskey.tsx';
import { AddTotp } from '../../factors/AddTotp.tsx';
import { RecoveryCodes } from '../../factors/RecoveryCodes.tsx';
import { FormError } from '../../shared/FormError.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { Door } from '../../shell/Door.tsx';
import { useEnter } from '../../shell/use-enter.ts';

interface SecondStepProps {
  readonly next: string | undefined;
}

/** What is still wanted of whoever has shown the password: the second factor, or to get one. */
export default function SecondStep({ next }: SecondStepProps) {
  const { t } = useTranslation('security');
  const { data, error, refetch } = useQuery({ ...stepQuery, retry: false });
  if (error instanceof ApiError && error.status === 401)
    return <Navigate to="/sign-in" search={next === undefined ? {} : { next }} replace />;
  const isEnrol = data?.second_factor === 'enrol';
  return (
    <Door
      title={t(isEnrol ? 'enrol.title' : 'verify.title')}
      about={t(isEnrol ? 'enrol.about' : 'verify.about')}
      below={
        <Anchor component={Link} to="/sign-in" size="sm" ta="center" underline="always">
          {t('verify.other')}
        </Anchor>
      }
    >
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingRows rows={2} />}
      {data && (isEnrol ? <Enrol next={next} /> : <Verify step={data} next={next} />)}
    </Door>
  );
}

function Verify({ step: { methods }, next }: SecondStepProps & { readonly step: Step }) {
  const { t } = useTranslation('security');
  const enter = useEnter(next);
  const [code, setCode] = useState('');
  const showing = useMutation({ mutationFn: showCode, onSuccess: enter });
  const byPasskey = useMutation({ mutationFn: showPasskey, onSuccess: enter });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() !== '') showing.mutate(code.trim());
  };
  const hasPasskey = methods.includes('passkey');
  return (
    <Stack gap="md">
      {hasPasskey && (
        <Button size="md" fullWidth loading={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          {t('byPasskey')}
        </Button>
      )}
      <FormError error={byPasskey.error} />
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={t('code')}
            description={t(methods.includes('totp') ? 'codeAbout' : 'recoveryAbout')}
            autoComplete="one-time-code"
            autoFocus={!hasPasskey}
            value={code}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
          <FormError error={showing.error} />
          <Button
            type="submit"
            size="md"
            fullWidth
            variant={hasPasskey ? 'default' : 'filled'}
            loading={showing.isPending}
          >
            {t('verify.submit')}
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}

function Enrol({ next }: SecondStepProps) {
  const { t } = useTranslation('security');
  const enter = useEnter(next);
  const hasPasskeys = useQuery(passkeySiteQuery).data === true;
  const [kind, choose] = useState<'totp' | 'passkey' | null>(null);
  const [added, setAdded] = useState<Added | null>(null);
  if (added?.session) {
    const { session, recovery_codes: codes } = added;
    return <RecoveryCodes codes={codes ?? []} onDone={() => void enter(session)} />;
  }
  if (kind === 'totp') return <AddTotp onAdded={setAdded} onCancel={() => choose(null)} />;
  if (kind === 'passkey') return <AddPasskey onAdded={setAdded} onCancel={() => choose(null)} />;
  return (
    <Stack gap="md">
      {hasPasskeys && (
        <Button size="md" fullWidth onClick={() => choose('passkey')}>
          {t('passkeys.add')}
        </Button>
      )}
      <Button size="md" fullWidth variant={hasPasskeys ? 'default' : 'filled'} onClick={() => choose('totp')}>
        {t('totp.add')}
      </Button>
    </Stack>
  );
}
