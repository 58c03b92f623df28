import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../api/accounts.ts';
import { Moment } from '../../shared/Moment.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isBelowZero } from './status.ts';
import classes from './Accounts.module.css';

interface AccountTableProps {
  readonly accounts: readonly Account[];
  /** All that fit; the service orders them. */
  readonly readAll: () => Promise<readonly Account[]>;
}

export function AccountTable({ accounts, readAll }: AccountTableProps) {
  const { t } = useTranslation('accounts');
  const format = useFormat();
  const columns = useMemo(
    (): readonly Column<Account>[] => [
      {
        id: 'name',
        header: t('columns.name'),
        sortBy: 'text',
        card: 'title',
        cell: ({ id, name }) => (
          <Stack gap={0} align="flex-start">
            <Link to="/accounts/$id" params={{ id }} className={classes.name}>
              {name}
            </Link>
            <Text size="xs" c="dimmed" className="tg-mono">
              {id}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ status }) => (
          <Mark tone={status === 'active' ? 'good' : 'plain'}>{t(`status.${status}`)}</Mark>
        ),
      },
      {
        id: 'mode',
        header: t('columns.mode'),
        cell: ({ mode, credit_limit_usd: limit }) =>
          mode === 'prepaid'
            ? t('modes.prepaid')
            : limit === null
              ? t('owes.anything')
              : t('owes.upTo', { limit: format.shortMoney(limit) }),
      },
      { id: 'zone', header: t('columns.zone'), cell: ({ time_zone: zone }) => zone },
      {
        id: 'created',
        header: t('columns.created'),
        sortBy: 'figure',
        cell: ({ created_at: at }) => <Moment at={at} as="day" />,
      },
      {
        id: 'balance',
        header: t('columns.balance'),
        sortBy: 'figure',
        align: 'end',
        amount: ({ balance_usd: balance }) => format.shortMoney(balance),
        cell: ({ balance_usd: balance }) => (
          <span
            className={classes.balance}
            data-debt={isBelowZero(balance)}
            title={format.exactMoney(balance)}
          >
            {format.shortMoney(balance)}
          </span>
        ),
      },
    ],
    [t, format],
  );
  return (
    <DataTable
      id="accounts"
      readAll={readAll}
      label={t('title')}
      columns={columns}
      rows={accounts}
      rowId={({ id }) => id}
      isFaded={({ status }) => status === 'disabled'}
    />
  );
}
