import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { parseUsd } from '@tollgate/money';
import { type Counts, METER_KINDS } from '@tollgate/vocabulary';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type KeyLine, type Movement, type StatementLine, statementKeysQuery } from '../../api/statements.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import classes from './Statements.module.css';

/** Tokens and units, each with its name, in the one order that they have everywhere. */
function CountsCell({ counts }: { readonly counts: Readonly<Counts> }) {
  const format = useFormat();
  const kindName = useMeterKindName();
  return (
    <span className={`tg-number ${classes.tokens}`}>
      {METER_KINDS.map((kind) => {
        const count = counts[kind];
        return (
          count !== undefined && (
            <span key={kind}>
              {format.count(count)} <small>{kindName(kind).toLowerCase()}</small>
            </span>
          )
        );
      })}
    </span>
  );
}

/** A part of the statement under its own heading. */
const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section>
    <Title order={2} mb="xs">
      {title}
    </Title>
    <Panel>{children}</Panel>
  </section>
);

const None = ({ text }: { readonly text: string }) => (
  <Text size="sm" c="dimmed" p="md">
    {text}
  </Text>
);

export function ModelFigures({ lines }: { readonly lines: readonly StatementLine[] }) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const columns = useMemo(
    (): readonly Column<StatementLine>[] => [
      {
        id: 'model',
        header: t('columns.model'),
        card: 'title',
        sortBy: ({ model }) => model,
        cell: ({ model }) => <span className={`tg-mono ${classes.name}`}>{model}</span>,
      },
      {
        id: 'requests',
        header: t('columns.requests'),
        align: 'end',
        sortBy: ({ requests }) => requests,
        cell: ({ requests }) => <span className="tg-number">{format.count(requests)}</span>,
      },
      {
        id: 'tokens',
        header: t('columns.counts'),
        align: 'end',
        cell: ({ tokens, units }) => <CountsCell counts={{ ...tokens, ...units }} />,
      },
      cost(t('columns.cost'), format.exactMoney),
    ],
    [t, format],
  );
  return (
    <Part title={t('byModel')}>
      {lines.length === 0 ? (
        <None text={t('noUsage')} />
      ) : (
        <DataTable label={t('byModel')} columns={columns} rows={lines} rowId={({ model }) => model} />
      )}
    </Part>
  );
}

export function KeyFigures({
  month,
  account,
}: {
  readonly month: string;
  readonly account: string | undefined;
}) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const { data, error, refetch } = useQuery(statementKeysQuery(month, account));
  const hasUnits = data?.items.some(({ units }) => Object.keys(units).length > 0) ?? false;
  const columns = useMemo(
    (): readonly Column<KeyLine>[] => [
      {
        id: 'key',
        header: t('columns.key'),
        card: 'title',
        sortBy: ({ name }) => name,
        cell: ({ key_id, name, masked, is_deleted }) => (
          <>
            <Link
              to="/usage"
              search={account === undefined ? { key: key_id } : { key: key_id, account }}
              className={classes.month}
            >
              {name === '' ? t('goneKey') : name}
            </Link>
            <Text size="xs" c="dimmed" className="tg-mono">
              {masked === '' ? key_id : masked}
              {is_deleted && name !== '' && ` · ${t('deleted')}`}
            </Text>
          </>
        ),
      },
      {
        id: 'requests',
        header: t('columns.requests'),
        align: 'end',
        sortBy: ({ requests }) => requests,
        cell: ({ requests }) => <span className="tg-number">{format.count(requests)}</span>,
      },
      {
        id: 'tokens',
        header: t('columns.tokens'),
        align: 'end',
        sortBy: ({ tokens }) => tokens,
        cell: ({ tokens }) => <span className="tg-number">{format.count(tokens)}</span>,
      },
      ...(hasUnits ? [beside(t('columns.units'))] : []),
      cost(t('columns.cost'), format.exactMoney),
    ],
    [t, format, hasUnits],
  );
  return (
    <Part title={t('byKey')}>
      {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingRows rows={3} />}
      {data?.items.length === 0 && <None text={t('noUsage')} />}
      {data && data.items.length > 0 && (
        <DataTable label={t('byKey')} columns={columns} rows={data.items} rowId={({ key_id }) => key_id} />
      )}
    </Part>
  );
}

export function MovementFigures({ movements }: { readonly movements: readonly Movement[] }) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const columns = useMemo(
    (): readonly Column<Movement>[] => [
      {
        id: 'kind',
        header: t('columns.what'),
        card: 'title',
        cell: ({ kind }) => t(`movements.${kind as 'payment'}`, { defaultValue: kind }),
      },
      {
        id: 'transactions',
        header: t('columns.transactions'),
        align: 'end',
        cell: ({ transactions }) => <span className="tg-number">{format.count(transactions)}</span>,
      },
      {
        id: 'amount',
        header: t('columns.amount'),
        align: 'end',
        amount: ({ amount_usd }) => format.exactMoney(amount_usd),
        cell: ({ amount_usd }) => <span className="tg-number">{format.exactMoney(amount_usd)}</span>,
      },
    ],
    [t, format],
  );
  return (
    <Part title={t('credit')}>
      {movements.length === 0 ? (
        <None text={t('noCredit')} />
      ) : (
        <DataTable label={t('credit')} columns={columns} rows={movements} rowId={({ kind }) => kind} />
      )}
    </Part>
  );
}

/** Only where anybody used any. */
const beside = (header: string): Column<KeyLine> => ({
  id: 'units',
  header,
  align: 'end',
  cell: ({ units }) => <CountsCell counts={units} />,
});

const cost = <T extends { readonly cost_usd: string }>(
  header: string,
  exactMoney: (amount: string) => string,
): Column<T> => ({
  id: 'cost',
  header,
  align: 'end',
  sortBy: ({ cost_usd }) => parseUsd(cost_usd),
  amount: ({ cost_usd }) => exactMoney(cost_usd),
  cell: ({ cost_usd }) => <b className="tg-number">{exactMoney(cost_usd)}</b>,
});
