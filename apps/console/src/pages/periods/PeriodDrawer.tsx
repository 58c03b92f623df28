import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type ClosedPeriod, periodQuery } from '../../api/periods.ts';
import { Moment } from '../../shared/Moment.tsx';
import { Copy } from '../../shared/Copy.tsx';
import { Figure, Figures, Tile, Tiles } from '../../shared/Figures.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Periods.module.css';
import { useMonth } from './use-month.ts';

interface PeriodDrawerProps {
  readonly period: ClosedPeriod | null;
  readonly onClose: () => void;
}

/** All that was frozen with a month. */
export default function PeriodDrawer({ period, onClose }: PeriodDrawerProps) {
  const monthText = useMonth();
  return (
    <SideDrawer of={period} onClose={onClose} title={({ month }) => monthText(month)}>
      {(shown) => <Frozen period={shown} />}
    </SideDrawer>
  );
}

function Frozen({ period }: { readonly period: ClosedPeriod }) {
  const { t } = useTranslation(['periods', 'finance']);
  const format = useFormat();
  const { data, error, refetch } = useQuery(periodQuery(period.account_id, period.month));
  return (
    <Stack gap="lg">
      <Tiles>
        <Tile name={t('columns.opening')}>{format.exactMoney(period.opening_balance_usd)}</Tile>
        <Tile name={t('columns.closing')}>{format.exactMoney(period.closing_balance_usd)}</Tile>
      </Tiles>
      {!data && (error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows rows={4} />)}
      {data && (
        <>
          <section>
            <Title order={2} mb="xs">
              {t('kinds')}
            </Title>
            <Figures>
              {data.kinds.map(({ kind, transactions, amount_usd }) => (
                <Figure
                  key={kind}
                  name={t('kindCount', {
                    kind: t(`kinds.${kind}`, { ns: 'finance' }),
                    count: transactions,
                  })}
                >
                  {format.exactMoney(amount_usd)}
                </Figure>
              ))}
            </Figures>
          </section>
          <section>
            <Title order={2} mb="xs">
              {t('ledgerAccounts')}
            </Title>
            <Figures>
              {data.ledger_accounts.map(({ ledger_account, amount_usd }) => (
                <Figure key={ledger_account} name={ledger_account}>
                  {format.exactMoney(amount_usd)}
                </Figure>
              ))}
            </Figures>
          </section>
        </>
      )}
      <section>
        <Title order={2} mb="xs">
          {t('facts')}
        </Title>
        <Figures>
          <Figure name={t('columns.by')}>
            {period.closed_by === 'automatic' ? t('itself') : period.closed_by}
          </Figure>
          <Figure name={t('closedAt')}>
            <Moment at={period.closed_at} />
          </Figure>
          <Figure name={t('reason', { ns: 'finance' })}>{period.reason}</Figure>
          <Figure name={t('zone')}>{period.time_zone}</Figure>
        </Figures>
        {(['hash', 'previous_hash', 'digest'] as const).map((name) => {
          const value = period[name];
          return (
            <div key={name}>
              <Text size="xs" c="dimmed" mt="xs">
                {t(`hashes.${name}`)}
              </Text>
              {value === null ? (
                <Text size="sm">{t('hashes.first')}</Text>
              ) : (
                <Group gap={2} wrap="nowrap">
                  <span className={`tg-mono ${classes.hash}`}>{value}</span>
                  <Copy text={value} what={t(`hashes.${name}`)} />
                </Group>
              )}
            </div>
          );
        })}
      </section>
    </Stack>
  );
}
