import { Anchor, Group, Title } from '@mantine/core';
import { IconReceipt2 } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ledgerQuery } from '../../api/ledger.ts';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { TransactionTable } from '../ledger/TransactionTable.tsx';
import classes from './Accounts.module.css';

const SHOWN = 10;

/** The newest transactions of an account. */
export function AccountLedger({ accountId }: { readonly accountId: string }) {
  const { t } = useTranslation('accounts');
  const list = useInfiniteQuery(ledgerQuery({ account_id: accountId }, SHOWN));
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Panel>
      <Group justify="space-between" className={classes.bar}>
        <Title order={2}>{t('ledger')}</Title>
        <Group gap="md">
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/statements" search={{ account: accountId }} />}
          >
            {t('statements')}
          </Anchor>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/ledger" search={{ account: accountId }} />}
          >
            {t('wholeLedger')}
          </Anchor>
        </Group>
      </Group>
      {list.isPending && <LoadingRows rows={4} />}
      {list.isError && rows.length === 0 && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && rows.length === 0 && (
        <Nothing icon={IconReceipt2} title={t('nothingBooked')} about={t('nothingBookedMeans')} />
      )}
      {rows.length > 0 && <TransactionTable transactions={rows} isOfOneAccount />}
    </Panel>
  );
}
