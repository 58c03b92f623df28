import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ServiceTier } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import { priceHistoryQuery, type PricePoint } from '../../api/pricing.ts';
import { priceTimes } from '../../shared/format.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { usePriceText } from '../../shared/use-price-text.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { toPath, toSteps } from './history-steps.ts';
import classes from './ModelDrawer.module.css';
import { shownUnits } from './price-rows.ts';

const KINDS = ['output', 'input'] as const;
const BOX = { width: 480, height: 140 };
const MAX_ROWS = 12;

/** What a model has cost in a group: a line for the eye, and every change with its exact prices. */
export function PriceHistory({ model, group }: { readonly model: string; readonly group: string }) {
  const { t } = useTranslation('models');
  const errorText = useErrorText();
  const { data, error } = useQuery(priceHistoryQuery(model, group));
  if (error) return <Text size="sm">{errorText(error)}</Text>;
  if (!data) return <Skeleton height={180} radius="md" />;
  if (data.points.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('history.none')}
      </Text>
    );
  return (
    <>
      <Chart points={data.points} />
      <Changes points={data.points} />
    </>
  );
}

function Chart({ points }: { readonly points: readonly PricePoint[] }) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  const series = toSteps(points, KINDS, Date.now());
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.legend}>
        {KINDS.toReversed().map((kind) => (
          <span key={kind} data-kind={kind}>
            {kindName(kind)}
          </span>
        ))}
      </figcaption>
      <svg
        viewBox={`0 0 ${BOX.width} ${BOX.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('history.chart', { count: points.length })}
      >
        {[0.25, 0.5, 0.75].map((share) => (
          <line key={share} x1={0} x2={BOX.width} y1={share * BOX.height} y2={share * BOX.height} />
        ))}
        {series.map(({ kind, steps }) => (
          <path key={kind} data-kind={kind} d={toPath(steps, BOX.width, BOX.height)} />
        ))}
      </svg>
      <div className={classes.axis}>
        <span>{format.day(points[0]?.published_at ?? '')}</span>
        <span>{t('history.now')}</span>
      </div>
    </figure>
  );
}

/** What is charged beside tokens, as it was then. */
function Beside({ point }: { readonly point: PricePoint }) {
  const { t } = useTranslation('models');
  const kindName = useMeterKindName();
  const priceText = usePriceText();
  const tierName = useServiceTierName();
  const ratio = point.group_ratio ?? '1';
  const texts = [
    ...shownUnits(point).map(
      (kind) => `${kindName(kind)} ${priceText(kind, point.unit_prices[kind] ?? 0, ratio)}`,
    ),
    ...Object.entries(point.service_tiers).map(
      ([tier, times]) => `${tierName(tier as ServiceTier)} ${t('times', { ratio: times })}`,
    ),
    ...Object.entries(point.regions).map(([region, times]) => `${region} ${t('times', { ratio: times })}`),
  ];
  return texts.length === 0 ? null : (
    <Text size="xs" c="dimmed">
      {texts.join(', ')}
    </Text>
  );
}

function Changes({ points }: { readonly points: readonly PricePoint[] }) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  const price = ({ prices, group_ratio }: PricePoint, kind: string) =>
    prices ? format.exactMoney(priceTimes(prices[kind] ?? 0, group_ratio ?? '1')) : '–';
  const rows = points.toReversed().slice(0, MAX_ROWS);
  return (
    <table className={classes.prices}>
      <thead>
        <tr>
          <th scope="col">{t('history.since')}</th>
          <th scope="col">{kindName('input')}</th>
          <th scope="col">{kindName('output')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((point) => (
          <tr key={point.version}>
            <th scope="row">
              {format.day(point.published_at)}
              <small>{t('history.version', { version: point.version })}</small>
              <Beside point={point} />
            </th>
            {point.prices ? (
              <>
                <td>{price(point, 'input')}</td>
                <td>{price(point, 'output')}</td>
              </>
            ) : (
              <td colSpan={2}>{t('history.gone')}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
