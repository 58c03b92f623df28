import { Anchor, Drawer, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Notice } from '../api/notices.ts';
import { Mark, type MarkTone } from '../shared/Mark.tsx';
import { Moment } from '../shared/Moment.tsx';
import { useErrorText } from '../shared/States.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './Shell.module.css';

const TONES: Readonly<Record<Notice['kind'], MarkTone>> = {
  account_out: 'bad',
  account_low: 'warn',
  credential_refused: 'bad',
  upstream_ejected: 'bad',
  usage_rejected: 'bad',
  key_budget_used: 'bad',
  key_budget_low: 'warn',
  key_expires: 'warn',
  export_failed: 'warn',
};

interface NoticeDrawerProps {
  readonly notices: readonly Notice[];
  readonly error: Error | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** All that concerns one, each with what it is about and the way there. */
export default function NoticeDrawer({ notices, error, isOpen, onClose }: NoticeDrawerProps) {
  const { t } = useTranslation(['notices', 'common']);
  const errorText = useErrorText();
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size={420}
      title={t('title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      {notices.length === 0 ? (
        <Text size="sm" c="dimmed">
          {error ? errorText(error) : t('none')}
        </Text>
      ) : (
        <ul className={classes.notices}>
          {notices.map((notice) => (
            <li key={notice.id}>
              <Stack gap={4} align="flex-start">
                <Mark tone={TONES[notice.kind]}>{t(`kinds.${notice.kind}`)}</Mark>
                <Where notice={notice} onGo={onClose} />
                <Text size="xs" c="dimmed">
                  <What notice={notice} />
                </Text>
              </Stack>
            </li>
          ))}
        </ul>
      )}
    </Drawer>
  );
}

/** What it is about, as a way to where it is put right. */
function Where({ notice, onGo }: { readonly notice: Notice; readonly onGo: () => void }) {
  const { t } = useTranslation('notices');
  const link = { size: 'sm', onClick: onGo } as const;
  switch (notice.kind) {
    case 'key_budget_low':
    case 'key_budget_used':
    case 'key_expires':
      return (
        <Anchor {...link} renderRoot={(props) => <Link {...props} to="/keys" />}>
          {notice.key_name}
        </Anchor>
      );
    case 'account_low':
    case 'account_out':
      return (
        <Anchor {...link} renderRoot={(props) => <Link {...props} to="/home" />}>
          {t('account')}
        </Anchor>
      );
    case 'credential_refused':
    case 'upstream_ejected':
      return (
        <Anchor
          {...link}
          renderRoot={(props) => <Link {...props} to="/upstreams" search={{ open: notice.upstream }} />}
        >
          {notice.upstream}
        </Anchor>
      );
    case 'usage_rejected':
      return (
        <Anchor {...link} renderRoot={(props) => <Link {...props} to="/reconciliation" />}>
          {t('usage')}
        </Anchor>
      );
    case 'export_failed':
      return (
        <Anchor {...link} renderRoot={(props) => <Link {...props} to="/exports" />}>
          {t('exports')}
        </Anchor>
      );
  }
}

/** How things stand with it. */
function What({ notice }: { readonly notice: Notice }) {
  const { t } = useTranslation('notices');
  const format = useFormat();
  switch (notice.kind) {
    case 'key_budget_low':
    case 'key_budget_used':
      return t(`spent.${notice.window}`, {
        spent: format.shortMoney(notice.spent_usd),
        budget: format.shortMoney(notice.budget_usd),
      });
    case 'key_expires':
      return <Moment at={notice.expires_at} />;
    case 'account_low':
    case 'account_out':
      return t('left', { left: format.shortMoney(notice.left_usd) });
    case 'credential_refused':
      return (
        <>
          {notice.credential ?? t('withoutCredential')}
          {notice.since !== null && (
            <>
              {' · '}
              <Moment at={notice.since} as="ago" />
            </>
          )}
        </>
      );
    case 'upstream_ejected':
      return notice.until === null ? null : t('until', { time: format.moment(notice.until) });
    case 'usage_rejected':
      return (
        <>
          {t('events', { count: notice.events })}
          {' · '}
          <Moment at={notice.newest_at} as="ago" />
        </>
      );
    case 'export_failed':
      return <Moment at={notice.failed_at} as="ago" />;
  }
}
