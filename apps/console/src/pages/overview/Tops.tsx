import { Anchor, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview, ServedFigures } from '../../api/overview.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { ModelName } from '../../shared/ModelName.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isBelowZero } from '../accounts/status.ts';
import classes from './Overview.module.css';

/** Who was charged the most, and what for, and who served it. */
export function Tops({ overview }: { readonly overview: Overview }) {
  const { t } = useTranslation('overview');
  const columns = useColumns();
  const { customers, models, upstreams } = overview;
  return (
    <div className={classes.tops}>
      <Top title={t('customers')} isEmpty={customers.length === 0}>
        <DataTable
          label={t('customers')}
          rows={customers}
          rowId={({ account_id }) => account_id}
          columns={[
            {
              id: 'name',
              header: t('columns.account'),
              card: 'title',
              cell: ({ account_id, account_name }) => (
                <Anchor component={Link} to={`/accounts/${account_id}`} size="sm">
                  {account_name ?? account_id}
                </Anchor>
              ),
            },
            columns.requests,
            columns.revenue,
          ]}
        />
      </Top>
      <Top title={t('models')} isEmpty={models.length === 0}>
        <DataTable
          label={t('models')}
          rows={models}
          rowId={({ model }) => model}
          columns={[
            {
              id: 'name',
              header: t('columns.model'),
              card: 'title',
              cell: ({ model }) => <ModelName name={model} />,
            },
            columns.requests,
            columns.revenue,
            columns.margin,
          ]}
        />
      </Top>
      <Top title={t('upstreams')} isEmpty={upstreams.length === 0}>
        <DataTable
          label={t('upstreams')}
          rows={upstreams}
          rowId={({ upstream }) => upstream}
          columns={[
            {
              id: 'name',
              header: t('columns.upstream'),
              card: 'title',
              cell: ({ upstream }) => <span className="tg-mono">{upstream}</span>,
            },
            columns.requests,
            columns.cost,
            columns.firstByte,
          ]}
        />
      </Top>
    </div>
  );
}

interface TopProps {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

function Top({ title, isEmpty, children }: TopProps) {
  const { t } = useTranslation('overview');
  return (
    <Panel>
      <Title order={2} px="lg" py="sm">
        {title}
      </Title>
      {isEmpty ? (
        <Text size="sm" c="dimmed" px="lg" pb="lg">
          {t('quiet')}
        </Text>
      ) : (
        children
      )}
    </Panel>
  );
}

function useColumns() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const amount = <T,>(id: 'revenue' | 'cost' | 'margin', toAmount: (row: T) => string): Column<T> => ({
    id,
    header: t(`columns.${id}`),
    align: 'end',
    cell: (row) => (
      <span
        className={`tg-number ${isBelowZero(toAmount(row)) ? classes.loss : ''}`}
        title={format.exactMoney(toAmount(row))}
      >
        {format.shortMoney(toAmount(row))}
      </span>
    ),
  });
  const requests: Column<Pick<ServedFigures, 'requests'>> = {
    id: 'requests',
    header: t('columns.requests'),
    align: 'end',
    cell: (row) => <span className="tg-number">{format.count(row.requests)}</span>,
  };
  const firstByte: Column<Pick<ServedFigures, 'first_byte_ms'>> = {
    id: 'firstByte',
    header: t('columns.firstByte'),
    align: 'end',
    cell: ({ first_byte_ms: ms }) => (
      <span className="tg-number">{ms === null ? '–' : t('ms', { ms: format.count(ms) })}</span>
    ),
  };
  return {
    requests,
    firstByte,
    revenue: amount('revenue', ({ revenue_usd }: Pick<ServedFigures, 'revenue_usd'>) => revenue_usd),
    cost: amount(
      'cost',
      ({ upstream_cost_usd }: Pick<ServedFigures, 'upstream_cost_usd'>) => upstream_cost_usd,
    ),
    margin: amount('margin', ({ margin_usd }: Pick<ServedFigures, 'margin_usd'>) => margin_usd),
  };
}
