import { Group, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { keysQuery } from '../../api/keys.ts';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { KeyList } from '../keys/KeyList.tsx';
import classes from './Accounts.module.css';

const MAX_SHOWN = 50;

/** The newest keys of an account, for operators: a key that has leaked is disabled by whoever hears of it first. */
export function AccountKeys({ accountId }: { readonly accountId: string }) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useQuery(
    keysQuery({ account_id: accountId, limit: MAX_SHOWN, offset: 0 }),
  );
  return (
    <Panel>
      <Group justify="space-between" className={classes.bar}>
        <Title order={2}>{t('keys.title')}</Title>
        {data && data.total > 0 && (
          <Text size="sm" c="dimmed">
            {t('keys.total', { count: data.total })}
          </Text>
        )}
      </Group>
      {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingRows rows={3} />}
      {data?.total === 0 && <Nothing icon={IconKey} title={t('keys.none')} />}
      {data && data.total > 0 && <KeyList keys={data.items} account={accountId} />}
    </Panel>
  );
}
