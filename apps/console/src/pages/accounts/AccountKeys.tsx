import { Group, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiKey, keysOfQuery } from '../../api/keys.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Accounts.module.css';

/** The keys of an account, for operators. */
export function AccountKeys({ accountId }: { readonly accountId: string }) {
  const { t } = useTranslation('accounts');
  const format = useFormat();
  const { data, error, refetch } = useQuery(keysOfQuery(accountId));
  const columns = useMemo(
    (): readonly Column<ApiKey>[] => [
      {
        id: 'name',
        header: t('keys.name'),
        card: 'title',
        cell: ({ name, masked }) => (
          <>
            <Text size="sm" fw={580}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" className="tg-mono">
              {masked}
            </Text>
          </>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ status }) => (
          <Mark tone={status === 'active' ? 'good' : 'plain'}>{t(`standing.${status}`)}</Mark>
        ),
      },
      { id: 'group', header: t('keys.group'), cell: ({ group }) => group },
      {
        id: 'used',
        header: t('keys.used'),
        cell: ({ last_used_at: at }) => (at === null ? t('keys.never') : format.fromNow(at)),
      },
      {
        id: 'spent',
        header: t('keys.spent'),
        align: 'end',
        cell: ({ spent }) => (
          <span className="tg-number" title={format.exactMoney(spent.total_usd)}>
            {format.shortMoney(spent.total_usd)}
          </span>
        ),
      },
    ],
    [t, format],
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
      {data && data.total > 0 && (
        <DataTable
          label={t('keys.title')}
          columns={columns}
          rows={data.items}
          rowId={({ id }) => id}
          isFaded={({ status }) => status !== 'active'}
        />
      )}
    </Panel>
  );
}
