import { Button, Group, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { endOtherSessions, endSession, type OwnSession, ownSessionsQuery } from '../../api/me.ts';
import { Mark } from '../../shared/Mark.tsx';
import { notify } from '../../shared/notify.ts';
import { Failed, LoadingRows, useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { Section } from './Section.tsx';
import classes from './Settings.module.css';

const MOBILE = new Set(['iPhone', 'iPad', 'Android']);

/** Where one is signed in, and how to end that. */
export function SessionsPanel() {
  const { t } = useTranslation('settings');
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const { data, error, refetch } = useQuery(ownSessionsQuery);
  const outcome = {
    onError: (failure: Error) =>
      notify({ color: 'red', title: t('sessions.refused'), message: errorText(failure) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  };
  const ending = useMutation({
    mutationFn: endSession,
    ...outcome,
    onSuccess: () => notify({ message: t('sessions.ended') }),
  });
  const endingOthers = useMutation({
    mutationFn: endOtherSessions,
    ...outcome,
    onSuccess: () => notify({ message: t('sessions.othersEnded') }),
  });
  const sessions = data?.items;

  return (
    <Section title={t('sessions.title')} about={t('sessions.about')}>
      {!sessions && !error && <LoadingRows rows={2} />}
      {!sessions && error && <Failed error={error} onRetry={() => void refetch()} />}
      {sessions && (
        <>
          <ul className={classes.sessions} aria-label={t('sessions.title')}>
            {sessions.map((session) => (
              <SessionItem key={session.id} session={session} onEnd={() => ending.mutate(session.id)} />
            ))}
          </ul>
          {sessions.length > 1 && (
            <Group mt="sm">
              <Button
                variant="default"
                loading={endingOthers.isPending}
                onClick={() => endingOthers.mutate()}
              >
                {t('sessions.endOthers')}
              </Button>
            </Group>
          )}
        </>
      )}
    </Section>
  );
}

function SessionItem({ session, onEnd }: { readonly session: OwnSession; readonly onEnd: () => void }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { browser, system } = session.device;
  const device =
    browser !== null && system !== null
      ? t('sessions.device', { browser, system })
      : (browser ?? system ?? t('sessions.unknown'));
  const Icon = system !== null && MOBILE.has(system) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li>
      <Icon size={22} stroke={1.5} />
      <div>
        <Group gap="xs">
          <Text size="sm" fw={580}>
            {device}
          </Text>
          {session.is_current && <Mark tone="good">{t('sessions.current')}</Mark>}
        </Group>
        <Text size="xs" c="dimmed">
          {t('sessions.seen', {
            address: session.address,
            since: format.day(session.created_at),
            seen: format.fromNow(session.last_seen_at),
          })}
        </Text>
      </div>
      {!session.is_current && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={onEnd}
          aria-label={t('sessions.endOf', { device })}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
