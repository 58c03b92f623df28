import { Text, UnstyledButton } from '@mantine/core';
import { lazy, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListedTransaction } from '../../api/ledger.ts';
import { Moment } from '../../shared/Moment.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isBelowZero } from '../accounts/status.ts';
import { KIND_TONES } from './kind-tones.ts';
import classes from './Ledger.module.css';

const TransactionDrawer = lazy(() => import('./TransactionDrawer.tsx'));

interface TransactionTableProps {
  readonly transactions: readonly ListedTransaction[];
  /** Without it the entries are shown beside the table. */
  readonly onChoose?: (number: number) => void;
  readonly isOfOneAccount?: boolean;
  /** All that fit, of the page that is a list of them. */
  readonly readAll?: () => Promise<readonly ListedTransaction[]>;
}

/** Transactions of the ledger; each opens to its entries. */
export function TransactionTable({
  transactions,
  onChoose,
  isOfOneAccount = false,
  readAll,
}: TransactionTableProps) {
  const { t } = useTranslation(['finance', 'common']);
  const format = useFormat();
  const [chosen, setChosen] = useState<number | null>(null);
  const choose = onChoose ?? setChosen;
  const columns = useMemo(
    (): readonly Column<ListedTransaction>[] => [
      {
        id: 'number',
        header: t('columns.number'),
        card: 'title',
        ...(readAll && { sortBy: 'figure' as const }),
        cell: ({ number }) => (
          <UnstyledButton
            className={classes.number}
            onClick={() => choose(number)}
            aria-label={t('openTransaction', { number })}
          >
            {number}
          </UnstyledButton>
        ),
      },
      {
        id: 'time',
        header: t('columns.booked'),
        cell: ({ booked_at: at }) => <Moment at={at} as="short" className={classes.time} />,
      },
      {
        id: 'kind',
        header: t('columns.kind'),
        cell: ({ kind }) => <Mark tone={KIND_TONES[kind]}>{t(`kinds.${kind}`)}</Mark>,
      },
      ...(isOfOneAccount
        ? []
        : [
            {
              id: 'account',
              header: t('account'),
              cell: ({ account_name: name, account_id: id }: ListedTransaction) => (
                <Text size="sm" lineClamp={1}>
                  {name ?? id}
                </Text>
              ),
            },
          ]),
      {
        id: 'reason',
        header: t('reason'),
        cell: ({ reason, request_id: request, number, first_number: first }) =>
          reason === null && request === null ? (
            <Text size="sm" c="dimmed">
              {t('ofRequests', { count: number - first + 1 })}
            </Text>
          ) : (
            <Text size="sm" lineClamp={2} {...(reason === null ? { c: 'dimmed', className: 'tg-mono' } : {})}>
              {reason ?? request}
            </Text>
          ),
      },
      {
        id: 'amount',
        header: t('amount'),
        align: 'end',
        ...(readAll && { sortBy: 'figure' as const }),
        amount: ({ amount_usd: amount }) => format.exactMoney(amount),
        cell: ({ amount_usd: amount }) => (
          <span className={classes.amount} data-positive={!isBelowZero(amount)}>
            {format.exactMoney(amount)}
          </span>
        ),
      },
    ],
    [t, format, isOfOneAccount, choose, readAll],
  );
  return (
    <>
      <DataTable
        {...(readAll && { id: 'ledger', readAll })}
        label={t('transactions')}
        columns={columns}
        rows={transactions}
        rowId={({ number }) => String(number)}
      />
      {!onChoose && (
        <OnceOpened isOpen={chosen !== null}>
          <TransactionDrawer number={chosen} onChoose={setChosen} onClose={() => setChosen(null)} />
        </OnceOpened>
      )}
    </>
  );
}
