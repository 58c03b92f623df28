import { Button, Group, Text } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published, Upstream } from '../../api/catalogue.ts';
import {
  enableCredential,
  type GatewayView,
  healthQuery,
  putUpstream,
  type Target,
  testUpstream,
} from '../../api/upstreams.ts';
import { Mark } from '../../shared/Mark.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { findTargetStatus } from './status.ts';
import { TestOutcome } from './TestOutcome.tsx';
import { TONES } from './UpstreamTable.tsx';
import { usePublishing } from './use-publishing.ts';
import classes from './Upstreams.module.css';
import { toCredentialInputs, toUpstreamInput } from './upstream-input.ts';
import { PasswordField } from '../../shared/PasswordField.tsx';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

interface CredentialCardProps {
  readonly live: Published;
  readonly upstream: Upstream;
  readonly target: Target;
  /** What a test asks for. */
  readonly testModel: string;
}

/** One credential: how each gateway finds it, and what can be done with it. */
export function CredentialCard({ live, upstream, target, testModel }: CredentialCardProps) {
  const { t } = useTranslation('upstreams');
  const name = target.credential;
  const status = findTargetStatus(target);
  const model = testModel.trim();
  const test = useMutation({
    mutationFn: () =>
      testUpstream(upstream.name, {
        ...(name === null ? {} : { credential: name }),
        ...(model === '' ? {} : { model }),
      }),
  });
  return (
    <section className={classes.credential} aria-label={name ?? t('noCredential')}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={620} className="tg-mono">
            {name ?? t('noCredential')}
          </Text>
          <Mark tone={TONES[status]}>{t(`status.${status}`)}</Mark>
        </Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconBolt size={14} />}
          loading={test.isPending}
          aria-label={t('testOf', { name: name ?? upstream.name })}
          onClick={() => test.mutate()}
        >
          {t('test')}
        </Button>
      </Group>
      <div role="status">
        <TestOutcome outcome={test.data} error={test.error} />
      </div>
      {target.gateways.length > 0 && (
        <table className={classes.views}>
          <tbody>
            {target.gateways.map((view) => (
              <tr key={view.gateway}>
                <th scope="row">{view.gateway}</th>
                <td>
                  <ViewText view={view} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {name !== null && (
        <Doings live={live} upstream={upstream} name={name} isRefused={target.state === 'disabled'} />
      )}
    </section>
  );
}

function ViewText({ view }: { readonly view: GatewayView }) {
  const { t } = useTranslation('upstreams');
  const format = useFormat();
  const until = view.cooling_down_until ?? view.ejected_until;
  const parts = [
    view.state !== 'ready' && t(`status.${view.state}`),
    view.breaker !== 'closed' && t(`breaker.${view.breaker}`),
    until !== null && t('until', { time: format.shortMoment(until) }),
    view.latency_ms !== null && t('ms', { ms: format.count(view.latency_ms) }),
    view.requests > 0 && t('failing', { percent: Math.round(view.failure_rate * 1_000) / 10 }),
    view.outstanding > 0 && t('underWay', { count: view.outstanding }),
    view.last_error && t('lastError', view.last_error),
  ].filter((part) => part !== false && part !== null);
  return parts.length === 0 ? t('status.unknown') : parts.join(' · ');
}

interface DoingsProps {
  readonly live: Published;
  readonly upstream: Upstream;
  readonly name: string;
  readonly isRefused: boolean;
}

function Doings({ live, upstream, name, isRefused }: DoingsProps) {
  const { t } = useTranslation(['upstreams', 'common']);
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const [isRemoving, remove] = useState(false);
  const isLast = upstream.credentials.length === 1;
  const enabling = useMutation({
    mutationFn: () => enableCredential(upstream.name, name),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: healthQuery.queryKey }),
  });
  const changing = usePublishing((what: 'remove' | 'replace') => {
    const credentials = toCredentialInputs(upstream);
    return putUpstream(live, {
      ...toUpstreamInput(upstream),
      credentials:
        what === 'remove'
          ? credentials.filter((credential) => credential.name !== name)
          : credentials.map((credential) =>
              credential.name === name ? { ...credential, secret: (secret ?? '').trim() } : credential,
            ),
    });
  });
  const error = enabling.error ?? changing.error;
  return (
    <>
      {secret === null ? (
        <Group gap="xs" mt="sm">
          {isRefused && (
            <Button size="compact-sm" loading={enabling.isPending} onClick={() => enabling.mutate()}>
              {t('enable')}
            </Button>
          )}
          <Button variant="default" size="compact-sm" onClick={() => setSecret('')}>
            {t('replace')}
          </Button>
          <Button
            variant="subtle"
            size="compact-sm"
            c="var(--mantine-color-error)"
            loading={changing.isPending}
            onClick={() => remove(true)}
          >
            {t('remove')}
          </Button>
        </Group>
      ) : (
        <Group
          component="form"
          gap="xs"
          mt="sm"
          align="flex-end"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            if (secret.trim() !== '') changing.mutate('replace', { onSuccess: () => setSecret(null) });
          }}
        >
          <PasswordField
            flex="1 1 12rem"
            label={t('newSecret')}
            autoComplete="off"
            maxLength={4_096}
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': t('showSecret') }}
          />
          <Button type="submit" disabled={secret.trim() === ''} loading={changing.isPending}>
            {t('replace')}
          </Button>
          <Button variant="default" onClick={() => setSecret(null)}>
            {t('cancel', { ns: 'common' })}
          </Button>
        </Group>
      )}
      {error && (
        <Text role="alert" size="sm" mt="xs" c="var(--mantine-color-error)">
          {errorText(error)}
        </Text>
      )}
      <Suspense>
        {isRemoving && (
          <ConfirmDialog
            title={t('removing.title', { name })}
            about={t(isLast ? 'removing.lastCredential' : 'removing.credential', { name: upstream.name })}
            submit={t('remove')}
            onClose={() => remove(false)}
            onConfirm={() => {
              remove(false);
              changing.mutate('remove');
            }}
          />
        )}
      </Suspense>
    </>
  );
}
