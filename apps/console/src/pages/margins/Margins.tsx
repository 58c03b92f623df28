import { Box, Group, Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconChartHistogram } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { MARGIN_GROUPS } from '@tollgate/vocabulary';
import { type MarginFigures, marginsQuery } from '../../api/margins.ts';
import { Choice } from '../../shared/Choice.tsx';
import { toSpan } from '../../shared/spans.ts';
import { DaysField } from '../../shared/DaysField.tsx';
import { Tile, Tiles } from '../../shared/Figures.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isBelowZero } from '../accounts/status.ts';
import { Bars } from './Bars.tsx';
import { MarginTable } from './MarginTable.tsx';
import { usePercent } from './use-percent.ts';
import { useZone } from '../../shared/use-zone.ts';

export const page = createLazyRoute('/shell/margins')({ component: Margins });

function Margins() {
  const { t } = useTranslation('margins');
  const { by = 'model', ...days } = page.useSearch();
  const navigate = page.useNavigate();
  const format = useFormat();
  const { data, error, refetch } = useQuery(marginsQuery(by, toSpan(days, useZone())));
  const setSearch = (change: object) =>
    void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });
  const setGroup = (value: string | null) => setSearch({ by: value === 'model' ? undefined : value });
  const groups = MARGIN_GROUPS.map((group) => ({ value: group, label: t(`groups.${group}`) }));

  return (
    <Page title={t('title')} about={t('about')}>
      <Group gap="sm" align="flex-end">
        <DaysField days={days} onChange={setSearch} />
        <Stack gap={0} flex="1 1 20rem" maw={520} visibleFrom="sm">
          <Input.Label labelElement="div" id="margins-by">
            {t('by')}
          </Input.Label>
          <SegmentedControl
            fullWidth
            aria-labelledby="margins-by"
            value={by}
            onChange={setGroup}
            data={groups}
          />
        </Stack>
        {/* Five words side by side are too wide for a narrow screen. */}
        <Box hiddenFrom="sm" flex="1 1 15rem">
          <Choice label={t('by')} allowDeselect={false} value={by} onChange={setGroup} data={groups} />
        </Box>
      </Group>
      {data && data.groups.length > 0 && <Total total={data.total} />}
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.groups.length === 0 && (
          <Nothing icon={IconChartHistogram} title={t('none.title')} about={t('none.about')} />
        )}
        {data && data.groups.length > 0 && <Bars rows={data.groups} by={by} />}
      </Panel>
      {data && data.groups.length > 0 && (
        <Panel>
          <MarginTable rows={data.groups} by={by} />
        </Panel>
      )}
      {data && data.total.requests_of_unknown_cost > 0 && (
        <Text size="sm" c="dimmed">
          {t('unknown', { count: data.total.requests_of_unknown_cost })}
        </Text>
      )}
      {data && data.total.lost_attempts > 0 && (
        <Text size="sm" c="dimmed">
          {t('lost', {
            count: data.total.lost_attempts,
            amount: format.exactMoney(data.total.lost_attempts_cost_usd),
          })}
        </Text>
      )}
    </Page>
  );
}

function Total({ total }: { readonly total: MarginFigures }) {
  const { t } = useTranslation('margins');
  const format = useFormat();
  const percent = usePercent();
  const isLoss = isBelowZero(total.margin_usd);
  return (
    <Tiles>
      <Tile name={t('revenue')} about={t('requests', { count: total.requests })}>
        <span title={format.exactMoney(total.revenue_usd)}>{format.shortMoney(total.revenue_usd)}</span>
      </Tile>
      <Tile name={t('cost')} about={t('costMeans')}>
        <span title={format.exactMoney(total.upstream_cost_usd)}>
          {format.shortMoney(total.upstream_cost_usd)}
        </span>
      </Tile>
      <Tile name={t('margin')} about={t('marginMeans')} tone={isLoss ? 'bad' : 'good'}>
        <span title={format.exactMoney(total.margin_usd)}>{format.shortMoney(total.margin_usd)}</span>
      </Tile>
      <Tile name={t('ratio')} about={t('ratioMeans')}>
        {percent(total.margin_ratio)}
      </Tile>
    </Tiles>
  );
}
