import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
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
import { takeFocus } from '../../shared/take-focus.ts';
import { AuthLayout } from '../../shell/AuthLayout.tsx';
import { useEnter } from '../../shell/use-enter.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface SecondStepProps {
  readonly next: string | undefined;
}

/** What is still wanted of whoever has shown the password: the second factor, or to get one. */
export default function SecondStep({ next }: SecondStepProps) {
  const { data, error, refetch } = useQuery({ ...stepQuery, retry: false });
  if (error instanceof ApiError && error.status === 401)
    return <Navigate to="/sign-in" search={next === undefined ? {} : { next }} replace />;
  if (data?.second_factor === 'enrol') return <Enrol next={next} />;
  return (
    <StepLayout words="verify">
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingRows rows={2} />}
      {data && <Verify step={data} next={next} />}
    </StepLayout>
  );
}

interface StepLayoutProps {
  readonly words: 'verify' | 'enrol';
  readonly children: ReactNode;
}

function StepLayout({ words, children }: StepLayoutProps) {
  const { t } = useTranslation('security');
  return (
    <AuthLayout
      title={t(`${words}.title`)}
      about={t(`${words}.about`)}
      below={
        <Anchor component={Link} to="/sign-in" size="sm" ta="center" underline="always">
          {t('verify.other')}
        </Anchor>
      }
    >
      {children}
    </AuthLayout>
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
            ref={hasPasskey ? undefined : takeFocus}
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
  const hasPasskeys = useLookup(passkeySiteQuery).data === true;
  const [kind, choose] = useState<'totp' | 'passkey' | null>(null);
  const [added, setAdded] = useState<Added | null>(null);
  if (added?.session) {
    const { session, recovery_codes: codes } = added;
    return (
      <AuthLayout title={t('codes.title')} about={t('enrol.done')}>
        <RecoveryCodes codes={codes ?? []} onDone={() => void enter(session)} />
      </AuthLayout>
    );
  }
  return (
    <StepLayout words="enrol">
      {kind === 'totp' && <AddTotp onAdded={setAdded} onCancel={() => choose(null)} />}
      {kind === 'passkey' && <AddPasskey onAdded={setAdded} onCancel={() => choose(null)} />}
      {kind === null && (
        <Stack gap="md">
          {hasPasskeys && (
            <div>
              <Button size="md" fullWidth onClick={() => choose('passkey')}>
                {t('passkeys.add')}
              </Button>
              <Text size="xs" c="dimmed" ta="center" mt={6}>
                {t('passkeys.none')}
              </Text>
            </div>
          )}
          <div>
            <Button
              size="md"
              fullWidth
              variant={hasPasskeys ? 'default' : 'filled'}
              onClick={() => choose('totp')}
            >
              {t('totp.add')}
            </Button>
            <Text size="xs" c="dimmed" ta="center" mt={6}>
              {t('totp.none')}
            </Text>
          </div>
        </Stack>
      )}
    </StepLayout>
  );
}
