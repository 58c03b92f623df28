import { Alert, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { UsageEntry } from '../../api/usage.ts';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { describeDispute } from './charge.ts';

/** What an upstream reported of a request that cannot be, and what becomes of it. */
export function DisputedPart({ entry }: { readonly entry: UsageEntry }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const kindName = useMeterKindName();
  const tierName = useServiceTierName();
  if (!entry.disputed) return null;
  const { kinds, serviceTiers, regions, models } = describeDispute(entry);
  return (
    <Alert color="yellow" variant="light" title={t('disputed.title')}>
      <Text size="sm">{t(`disputed.${entry.disputed.status}`)}</Text>
      <List size="sm" mt="xs">
        {kinds.map(({ kind, reported, charged }) => (
          <List.Item key={kind}>
            {kindName(kind)}:{' '}
            {t('disputed.count', { reported: format.count(reported), charged: format.count(charged) })}
          </List.Item>
        ))}
        {serviceTiers.map((tier) => (
          <List.Item key={tier}>
            {t('serviceTier')}: {t('disputed.reported', { what: tierName(tier) })}
          </List.Item>
        ))}
        {regions.map((region) => (
          <List.Item key={region}>
            {t('region')}: {t('disputed.reported', { what: region })}
          </List.Item>
        ))}
        {models.map((model) => (
          <List.Item key={model}>
            {t('disputed.model')}: {t('disputed.reported', { what: model })}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
