import { Group, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { formatUsd } from '@tollgate/money';
import { useTranslation } from 'react-i18next';
import { type Overview, overviewQuery } from '../../api/overview.ts';
import { Panel } from '../../shared/Panel.tsx';
import { StackedBars } from '../../shared/StackedBars.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { Segments } from '../../shared/Segments.tsx';
import { bucketName, bucketTick } from '../home/bucket-names.ts';
import type { Range } from '../home/search.ts';
import { toBars, toRequests } from './bars.ts';
import { type Measure, MEASURES, toOverviewParams } from './search.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface OverTimeProps {
  readonly overview: Overview;
  readonly range: Range;
  readonly measure: Measure;
  readonly onChange: (measure: Measure) => void;
}

/** Requests, spend or time to the first byte of all accounts over time. */
export function OverTime({ overview, range, measure, onChange }: OverTimeProps) {
  const { t, i18n } = useTranslation('overview');
  const format = useFormat();
  const navigate = useNavigate();
  const { data: before, error: beforeError } = useLookup(
    overviewQuery({ ...toOverviewParams({ range }), isBefore: true }),
  );
  const bars = toBars(overview, measure).map((bar) => ({ ...bar, name: t(`bars.${bar.name}`) }));
  const shows: Readonly<Record<Measure, (value: bigint, isExact: boolean) => string>> = {
    requests: (value, isExact) => (isExact ? format.count(Number(value)) : format.shortCount(Number(value))),
    spend: (value, isExact) =>
      isExact ? format.exactMoney(formatUsd(value)) : format.shortMoney(formatUsd(value)),
    firstByte: (value) => t('ms', { ms: format.count(Number(value)) }),
  };
  const label = t(`measures.${measure}`);
  return (
    <Panel p={{ base: 'md', xs: 'lg' }}>
      <Group justify="space-between" gap="sm" mb="lg">
        <Title order={2}>{label}</Title>
        <Segments
          label={t('measure')}
          value={measure}
          data={MEASURES.map((value) => ({ value, label: t(`measures.${value}`) }))}
          onChange={onChange}
        />
      </Group>
      {bars.length === 0 ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          {t('quiet')}
        </Text>
      ) : (
        <StackedBars
          label={label}
          buckets={overview.buckets}
          series={bars}
          before={before ? toBars(before, measure) : []}
          isBeforeMissing={!before && beforeError !== null}
          show={(value) => shows[measure](value, false)}
          showExactly={(value) => shows[measure](value, true)}
          tick={(bucket) => bucketTick(bucket, overview, i18n.language)}
          name={(bucket) => bucketName(bucket, overview, i18n.language)}
          total={t('total')}
          onOpen={(bucket, series) =>
            void navigate({ to: '/usage', search: toRequests(overview, bucket, series) })
          }
        />
      )}
    </Panel>
  );
}
