import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ServiceTier } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import { priceHistoryQuery, type PricePoint } from '../../api/pricing.ts';
import { findColour } from '../../shared/colours.ts';
import { priceTimes } from '../../shared/format.ts';
import { computePercent } from '../../shared/scale.ts';
import { useErrorText } from '../../shared/States.tsx';
import { findPlaces, pointAt } from '../../shared/places.ts';
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
      <Chart points={data.points} colour={findColour(model)} />
      <Changes points={data.points} />
    </>
  );
}

interface ChartProps {
  readonly points: readonly PricePoint[];
  /** The model’s, which it has on every page. */
  readonly colour: string;
}

function Chart({ points, colour }: ChartProps) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  const { series, axis } = toSteps(points, KINDS, Date.now());
  const end = axis.at(-1) ?? 1n;
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.legend}>
        {KINDS.toReversed().map((kind) => (
          <span key={kind} data-kind={kind}>
            <i style={{ borderColor: colour }} aria-hidden />
            {kindName(kind)}
          </span>
        ))}
      </figcaption>
      <div className={classes.plot}>
        <div className={classes.scale} aria-hidden>
          {axis.map((step) => (
            <span key={String(step)} style={{ bottom: `${computePercent(step, end)}%` }}>
              {format.exactMoney(priceTimes(Number(step), '1'))}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${BOX.width} ${BOX.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t('history.chart', { count: points.length })}
        >
          {axis.map((step) => {
            const y = BOX.height * (1 - computePercent(step, end) / 100);
            return <line key={String(step)} x1={0} x2={BOX.width} y1={y} y2={y} />;
          })}
          {series.map(({ kind, steps }) => (
            <path
              key={kind}
              data-kind={kind}
              style={{ stroke: colour }}
              d={toPath(steps, BOX.width, BOX.height)}
            />
          ))}
        </svg>
      </div>
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
  const cell = (point: PricePoint, kind: string) => {
    const shown = price(point, kind);
    return <span {...pointAt(shown, findPlaces(rows.map((row) => price(row, kind))))}>{shown}</span>;
  };
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
                <td>{cell(point, 'input')}</td>
                <td>{cell(point, 'output')}</td>
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
