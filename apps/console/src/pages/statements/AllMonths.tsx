import { ActionIcon, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight, IconDownload, IconSearch, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { parseUsd } from '@tollgate/money';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type AccountMonth,
  accountMonthsPath,
  accountMonthsQuery,
  type MonthsByAccount,
} from '../../api/periods.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Pages } from '../../shared/Pages.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { MEASURES, moveMonth, readAsked, roundedMoney, shortMonth } from './month-figures.ts';
import type { readStatementsSearch } from './search.ts';
import classes from './Statements.module.css';

type Search = ReturnType<typeof readStatementsSearch>;
type Measure = (typeof MEASURES)[number];

interface AllMonthsProps {
  readonly search: Search;
  readonly onChange: (change: { [name in keyof Search]?: Search[name] | undefined }) => void;
}

const TYPING_MS = 250;
const ROWS = 50;
/** As many as the service tells where none are named. */
const MONTHS = 6;

/** Every account beside every month, with what they add up to. */
export function AllMonths({ search, onChange }: AllMonthsProps) {
  const { t } = useTranslation('periods', { keyPrefix: 'all' });
  const format = useFormat();
  const { measure, page, ...asked } = readAsked({ ...search });
  const { data, error, refetch } = useQuery(
    accountMonthsQuery({ ...asked, limit: ROWS, offset: (page - 1) * ROWS }),
  );
  return (
    <>
      <Bar search={search} last={data?.months.at(-1)} onChange={onChange} />
      <Panel className={classes.wide ?? ''}>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.items.length === 0 && (
          <Nothing icon={IconUsers} title={t('none.title')} about={t('none.about')} />
        )}
        {data && data.items.length > 0 && <MonthsTable data={data} measure={measure} />}
      </Panel>
      {data && (
        <Pages
          total={t('accounts', { count: data.accounts })}
          pages={Math.ceil(data.accounts / ROWS)}
          page={page}
          onChange={(next) => onChange({ page: next === 1 ? undefined : String(next) })}
        />
      )}
      <Text size="xs" c="dimmed">
        {t('rounding')} {data && t('exactSum', { amount: format.exactMoney(data.total.usage_usd) })}
      </Text>
    </>
  );
}

function Bar({ search, last, onChange }: AllMonthsProps & { readonly last: string | undefined }) {
  const { t } = useTranslation('periods', { keyPrefix: 'all' });
  const { measure, page: _page, ...asked } = readAsked({ ...search });
  const { find, to } = asked;
  const [typed, setTyped] = useState(find ?? '');
  const look = useDebouncedCallback(
    (text: string) => onChange({ find: text.trim(), page: undefined }),
    TYPING_MS,
  );
  const move = (by: number) => last !== undefined && onChange({ to: moveMonth(last, by) });
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        type="search"
        flex="1 1 12rem"
        maw={{ sm: 300 }}
        label={t('find')}
        placeholder={t('findWhat')}
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          look(value);
        }}
      />
      <SegmentedControl
        aria-label={t('measure')}
        data={MEASURES.map((value) => ({ value, label: t(`measures.${value}`) }))}
        value={measure}
        onChange={(value) => onChange({ measure: value === 'usage' ? undefined : value })}
      />
      <Group gap="xs">
        <ActionIcon variant="default" size="lg" aria-label={t('earlier')} onClick={() => move(-MONTHS)}>
          <IconChevronLeft size={17} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('later')}
          disabled={to === undefined}
          onClick={() => move(MONTHS)}
        >
          <IconChevronRight size={17} />
        </ActionIcon>
      </Group>
      <Button
        component="a"
        href={accountMonthsPath(asked)}
        download
        variant="default"
        leftSection={<IconDownload size={16} />}
      >
        {t('csv')}
      </Button>
    </Group>
  );
}

type Booked = Omit<AccountMonth, 'status'>;

interface Row {
  /** Null of the sum of all. */
  readonly id: string | null;
  readonly name: string;
  readonly months: readonly (Booked & {
    readonly status?: AccountMonth['status'];
    readonly closed?: number;
  })[];
  readonly total: Booked;
}

function MonthsTable({ data, measure }: { readonly data: MonthsByAccount; readonly measure: Measure }) {
  const { t, i18n } = useTranslation('periods', { keyPrefix: 'all' });
  const { rows, total } = useMemo(
    () => ({
      rows: data.items.map(({ account_id: id, account_name: name, months, total: sum }): Row => ({
        id,
        name,
        months,
        total: sum,
      })),
      total: { id: null, name: t('total'), months: data.totals, total: data.total } satisfies Row,
    }),
    [data, t],
  );
  const columns = useMemo((): readonly Column<Row>[] => {
    const rank = (booked: Booked | undefined) =>
      measure === 'requests' ? BigInt(booked?.requests ?? 0) : parseUsd(booked?.[`${measure}_usd`] ?? '0');
    return [
      {
        id: 'account',
        header: t('account'),
        card: 'title',
        sortBy: ({ name }) => name,
        cell: ({ id, name }) =>
          id === null ? (
            name
          ) : (
            <Link to="/statements" search={{ account: id }} className={classes.month}>
              {name}
            </Link>
          ),
      },
      ...data.months.map((month, index): Column<Row> => ({
        id: month,
        header: shortMonth(month, i18n.language),
        align: 'end',
        sortBy: ({ months }) => rank(months[index]),
        cell: ({ id, months }) => {
          const booked = months[index];
          return booked && <MonthCell account={id} month={month} booked={booked} measure={measure} />;
        },
      })),
      {
        id: 'total',
        header: t('total'),
        align: 'end',
        sortBy: ({ total: sum }) => rank(sum),
        cell: ({ total: sum }) => (
          <b className="tg-number">
            <Shown booked={sum} measure={measure} />
          </b>
        ),
      },
    ];
  }, [t, i18n.language, data.months, measure]);
  return (
    <DataTable label={t('title')} columns={columns} rows={rows} rowId={({ id }) => id ?? ''} total={total} />
  );
}

interface ShownProps {
  readonly booked: Booked;
  readonly measure: Measure;
}

/** In whole cents, and exactly when it is pointed at. */
function Shown({ booked, measure }: ShownProps) {
  const format = useFormat();
  const { i18n } = useTranslation();
  if (measure === 'requests') return format.count(booked.requests);
  const amount = booked[`${measure}_usd`];
  return <span title={format.exactMoney(amount)}>{roundedMoney(amount, i18n.language)}</span>;
}

interface MonthCellProps extends ShownProps {
  /** Null of the sum of all. */
  readonly account: string | null;
  readonly month: string;
  readonly booked: Row['months'][number];
}

function MonthCell({ account, month, booked, measure }: MonthCellProps) {
  const { t } = useTranslation('periods', { keyPrefix: 'all' });
  const format = useFormat();
  if (account !== null && booked.status === null)
    return (
      <Text span c="dimmed">
        –
      </Text>
    );
  const shown = <Shown booked={booked} measure={measure} />;
  return (
    <span className={`tg-number ${classes.booked}`}>
      {booked.status === 'closed' && (
        <i role="img" aria-label={t('closed')}>
          ✓
        </i>
      )}
      {account === null ? (
        shown
      ) : (
        <Link to="/statements" search={{ account, month }}>
          {shown}
        </Link>
      )}
      {booked.closed !== undefined && <small>{t('closedOf', { closed: format.count(booked.closed) })}</small>}
    </span>
  );
}
