import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { UsageEntry } from '../../api/usage.ts';
import { Copy } from '../../shared/Copy.tsx';
import { Figure, Figures } from '../../shared/Figures.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { ChargeTable } from './ChargeTable.tsx';
import { DisputedPart } from './DisputedPart.tsx';
import { findTone } from './entry.ts';
import classes from './Usage.module.css';

interface EntryDrawerProps {
  readonly entry: UsageEntry | null;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

/** Every figure of one request, and how its charge came about. */
export default function EntryDrawer({ entry, keyNames, onClose }: EntryDrawerProps) {
  const { t } = useTranslation('usage');
  return (
    <SideDrawer of={entry} size={520} onClose={onClose} title={() => t('request')}>
      {(shown) => <EntryFigures entry={shown} keyName={keyNames.get(shown.key_id)} />}
    </SideDrawer>
  );
}

function EntryFigures({
  entry,
  keyName,
}: {
  readonly entry: UsageEntry;
  readonly keyName: string | undefined;
}) {
  const { t } = useTranslation(['usage', 'operations']);
  const format = useFormat();
  const operationName = useOperationName();
  const tierName = useServiceTierName();
  return (
    <Stack gap="lg">
      <div>
        <Text className={classes.charge}>{format.exactMoney(entry.cost_usd)}</Text>
        <Group gap={2} wrap="nowrap">
          <span className={`tg-mono ${classes.id}`}>{entry.request_id}</span>
          <Copy text={entry.request_id} what={t('requestId')} />
        </Group>
      </div>
      <section>
        <Title order={2} mb="xs">
          {t('charge.title')}
        </Title>
        <ChargeTable entry={entry} />
      </section>
      <DisputedPart entry={entry} />
      <section>
        <Title order={2} mb="xs">
          {t('figures')}
        </Title>
        <Figures>
          <Figure name={t('columns.time')}>{format.moment(entry.occurred_at)}</Figure>
          <Figure name={t('columns.outcome')}>
            <Mark tone={findTone(entry)}>{t(`outcomes.${entry.outcome}`)}</Mark>
          </Figure>
          <Figure name={t('status')}>{entry.http_status}</Figure>
          <Figure name={t('columns.model')}>
            <span className="tg-mono">{entry.model}</span>
          </Figure>
          <Figure name={t('columns.key')}>{keyName ?? t('goneKey')}</Figure>
          <Figure name={t('group')}>{entry.group}</Figure>
          <Figure name={t('protocol')}>
            <span className="tg-mono">{entry.protocol}</span>
          </Figure>
          {entry.operation !== 'generate' && (
            <Figure name={t('operation', { ns: 'operations' })}>{operationName(entry.operation)}</Figure>
          )}
          {entry.service_tier !== 'standard' && (
            <Figure name={t('serviceTier')}>{tierName(entry.service_tier)}</Figure>
          )}
          {entry.region !== null && <Figure name={t('region')}>{entry.region}</Figure>}
          <Figure name={t('stream')}>{t(entry.stream ? 'yes' : 'no')}</Figure>
          <Figure name={t('firstByte')}>{t('ms', { ms: format.count(entry.first_byte_ms) })}</Figure>
          <Figure name={t('columns.latency')}>{t('ms', { ms: format.count(entry.latency_ms) })}</Figure>
          <Figure name={t('counted')}>{t(`sources.${entry.usage_source}`)}</Figure>
          <Figure name={t('priceVersion')}>{entry.pricing_version}</Figure>
        </Figures>
      </section>
    </Stack>
  );
}
