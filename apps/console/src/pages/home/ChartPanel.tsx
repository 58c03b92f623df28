import { Group, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { formatUsd } from '@tollgate/money';
import { useTranslation } from 'react-i18next';
import { type UsageSeries, type UsageSummary, summaryQuery } from '../../api/summary.ts';
import { Panel } from '../../shared/Panel.tsx';
import { StackedBars } from '../../shared/StackedBars.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { Segments } from '../../shared/Segments.tsx';
import { bucketName, bucketTick } from './bucket-names.ts';
import { GROUPS, type HomeSearch, MEASURES, toSummaryParams, USUAL } from './search.ts';
import { toBars, toBarsBefore, toRequests } from './series.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface ChartPanelProps {
  readonly summary: UsageSummary;
  readonly search: HomeSearch;
  readonly onChange: (change: HomeSearch) => void;
}

/** What was spent, asked or counted over time, by model or by key. */
export function ChartPanel({ summary, search, onChange }: ChartPanelProps) {
  const { t, i18n } = useTranslation('home');
  const format = useFormat();
  const navigate = useNavigate();
  const { by = USUAL.by, measure = USUAL.measure } = search;
  const nameOf = ({ key, label }: UsageSeries): string =>
    key === null ? t('others') : by === 'key' ? (label ?? t('goneKey')) : key;
  const bars = toBars(summary, measure, nameOf);
  const { data: before, error: beforeError } = useLookup(
    summaryQuery({ ...toSummaryParams(search), isBefore: true }),
  );
  const show = (value: bigint): string =>
    measure === 'cost' ? format.shortMoney(formatUsd(value)) : format.shortCount(Number(value));
  const showExactly = (value: bigint): string =>
    measure === 'cost' ? format.exactMoney(formatUsd(value)) : format.count(Number(value));
  const label = t('chart', { what: t(`measures.${measure}`), by: t(`byWord.${by}`) });

  return (
    <Panel p={{ base: 'md', xs: 'lg' }}>
      <Group justify="space-between" gap="sm" mb="lg">
        <Title order={2}>{label}</Title>
        <Group gap="xs">
          <Segments
            label={t('measure')}
            value={measure}
            data={MEASURES.map((value) => ({ value, label: t(`measures.${value}`) }))}
            onChange={(value) => onChange({ measure: value })}
          />
          <Segments
            label={t('group')}
            value={by}
            data={GROUPS.map((value) => ({ value, label: t(`by.${value}`) }))}
            onChange={(value) => onChange({ by: value })}
          />
        </Group>
      </Group>
      {bars.length === 0 ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          {t('quiet')}
        </Text>
      ) : (
        <StackedBars
          label={label}
          buckets={summary.buckets}
          series={bars}
          before={before && toBarsBefore(before, summary, measure)}
          isBeforeMissing={!before && beforeError !== null}
          show={show}
          showExactly={showExactly}
          tick={(bucket) => bucketTick(bucket, summary, i18n.language)}
          name={(bucket) => bucketName(bucket, summary, i18n.language)}
          total={t('total')}
          hasSums
          onOpen={(bucket, series) =>
            void navigate({ to: '/usage', search: toRequests(summary, bucket, series) })
          }
        />
      )}
    </Panel>
  );
}
