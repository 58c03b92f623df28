import { Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { Moment } from '../../shared/Moment.tsx';
import { Figure, Figures } from '../../shared/Figures.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { findTone } from './entry.ts';

interface PartProps {
  readonly entry: RequestEntry;
}

/** Every figure of a request. */
export function EntryFigures({ entry }: PartProps) {
  const { t } = useTranslation(['usage', 'operations']);
  const format = useFormat();
  const operationName = useOperationName();
  const ms = (value: number | null) =>
    value === null ? t('none.value') : t('ms', { ms: format.count(value) });
  return (
    <section>
      <Title order={2} mb="xs">
        {t('figures')}
      </Title>
      <Figures>
        <Figure name={t('columns.time')}>
          <Moment at={entry.occurred_at} />
        </Figure>
        <Figure name={t('columns.outcome')}>
          <Mark tone={findTone(entry)}>{t(`outcomes.${entry.outcome}`)}</Mark>
        </Figure>
        <Figure name={t('status')}>{entry.http_status}</Figure>
        <Figure name={t('columns.model')}>
          <span className="tg-mono">{entry.model ?? t('none.value')}</span>
        </Figure>
        <Figure name={t('columns.key')}>{entry.key_name ?? t('goneKey')}</Figure>
        <Figure name={t('protocol')}>
          <span className="tg-mono">{entry.protocol}</span>
        </Figure>
        {entry.operation !== 'generate' && (
          <Figure name={t('operation', { ns: 'operations' })}>{operationName(entry.operation)}</Figure>
        )}
        <Figure name={t('stream')}>{t(entry.stream ? 'yes' : 'no')}</Figure>
        <Figure name={t('firstByte')}>{ms(entry.first_byte_ms)}</Figure>
        <Figure name={t('columns.latency')}>{ms(entry.latency_ms)}</Figure>
        <ChargeFigures entry={entry} />
        <ServingFigures entry={entry} />
      </Figures>
    </section>
  );
}

function ChargeFigures({ entry: { charge } }: PartProps) {
  const { t } = useTranslation('usage');
  const tierName = useServiceTierName();
  if (charge === null) return null;
  return (
    <>
      <Figure name={t('group')}>{charge.group}</Figure>
      {charge.service_tier !== 'standard' && (
        <Figure name={t('serviceTier')}>{tierName(charge.service_tier)}</Figure>
      )}
      {charge.region !== null && <Figure name={t('region')}>{charge.region}</Figure>}
      <Figure name={t('counted')}>{t(`sources.${charge.usage_source}`)}</Figure>
      <Figure name={t('priceVersion')}>{charge.pricing_version}</Figure>
    </>
  );
}

/** What operators alone see. */
function ServingFigures({ entry: { serving, account_name: account } }: PartProps) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  if (serving === null) return null;
  const money = (amount: string | null) => (amount === null ? t('none.value') : format.exactMoney(amount));
  return (
    <>
      <Figure name={t('account')}>{account ?? t('none.value')}</Figure>
      <Figure name={t('pool')}>{serving.pool ?? t('none.value')}</Figure>
      <Figure name={t('upstream')}>{serving.upstream ?? t('none.value')}</Figure>
      <Figure name={t('cost')}>{money(serving.upstream_cost_usd)}</Figure>
      <Figure name={t('margin')}>{money(serving.margin_usd)}</Figure>
    </>
  );
}
