import { Text, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { axisSteps, labelPlaces, computePercent } from './scale.ts';
import classes from './StackedBars.module.css';

export interface BarSeries {
  readonly id: string;
  readonly name: string;
  /** A colour of the theme, or stripes of it. */
  readonly fill: string;
  /** One for each bucket, in the smallest unit. */
  readonly values: readonly bigint[];
}

interface StackedBarsProps {
  /** What the chart shows, for those who cannot see it. */
  readonly label: string;
  readonly buckets: readonly string[];
  readonly series: readonly BarSeries[];
  /** The same of as long a time before: its bars stand behind, dimmed. */
  readonly before?: readonly Pick<BarSeries, 'id' | 'values'>[];
  /** What was before could not be loaded. */
  readonly isBeforeMissing?: boolean;
  /** A value as a person reads it. */
  readonly show: (value: bigint) => string;
  readonly showExactly: (value: bigint) => string;
  /** A bucket below the axis, and in full. */
  readonly tick: (bucket: string) => string;
  readonly name: (bucket: string) => string;
  readonly total: string;
  /** Whether the sum of a series stands in the legend. */
  readonly hasSums?: boolean;
  /** Shows what a bar is made of: all of it, or the series that was clicked. */
  readonly onOpen?: (bucket: number, series: string | null) => void;
}

const MAX_TICKS = 7;

/**
 * Bars over time, stacked by series. A pointer or the arrow keys choose a bar, whose values are then told; a click on it,
 * or Enter, leads to what it is made of. The legend hides series and shows them again.
 */
export function StackedBars(props: StackedBarsProps) {
  const { label, buckets, before = [], show, showExactly, tick, name, total, onOpen } = props;
  const { t } = useTranslation();
  const [chosen, choose] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const series = props.series.filter(({ id }) => !hidden.has(id));
  const totals = sumUp(buckets.length, series);
  const past = hidden.has(BEFORE)
    ? []
    : sumUp(
        buckets.length,
        before.filter(({ id }) => !hidden.has(id)),
      );
  const steps = axisSteps([...totals, ...past].reduce((max, value) => (value > max ? value : max), 0n));
  const end = steps.at(-1) ?? 1n;
  const ticks = new Set(labelPlaces(buckets.length, MAX_TICKS));
  const last = buckets.length - 1;
  const partsOf = (at: number) =>
    series
      .map(({ id, name: own, fill, values }) => ({ id, name: own, fill, value: values[at] ?? 0n }))
      .filter(({ value }) => value > 0n);
  const tell = (at: number): string =>
    [
      `${name(buckets[at] ?? '')}: ${showExactly(totals[at] ?? 0n)}`,
      ...partsOf(at).map((part) => `${part.name} ${showExactly(part.value)}`),
      ...(past.length === 0 ? [] : [`${t('chart.before')} ${showExactly(past[at] ?? 0n)}`]),
    ].join(', ');
  const onKeyDown = (event: KeyboardEvent) => {
    const move = findMove(event.key, chosen, last);
    if (event.key === 'Enter' && chosen !== null) onOpen?.(chosen, null);
    if (move === undefined) return;
    event.preventDefault();
    choose(move);
  };

  return (
    <>
      <div className={classes.chart} onPointerLeave={() => choose(null)}>
        <div className={classes.axis} aria-hidden>
          {steps.map((step) => (
            <span key={String(step)} style={{ bottom: `${computePercent(step, end)}%` }}>
              {show(step)}
            </span>
          ))}
        </div>
        <div
          className={classes.bars}
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={chosen ?? last}
          aria-valuetext={tell(chosen ?? last)}
          aria-description={onOpen && t('chart.opens')}
          onKeyDown={onKeyDown}
          onBlur={() => choose(null)}
        >
          {steps.map((step) => (
            <hr key={String(step)} style={{ bottom: `${computePercent(step, end)}%` }} />
          ))}
          {buckets.map((bucket, at) => (
            <Slot
              key={bucket}
              parts={partsOf(at)}
              past={computePercent(past[at] ?? 0n, end)}
              toPercent={(value) => computePercent(value, end)}
              isChosen={chosen === at}
              onChoose={() => choose(at)}
              onOpen={onOpen && ((id) => onOpen(at, id))}
            />
          ))}
          {chosen !== null && (
            <div
              className={classes.tip}
              style={{ left: `${((chosen + 0.5) / buckets.length) * 100}%` }}
              data-side={chosen > last / 2 ? 'left' : 'right'}
            >
              <Text size="xs" c="dimmed" mb={4}>
                {name(buckets[chosen] ?? '')}
              </Text>
              {partsOf(chosen).map((part) => (
                <Line key={part.id} fill={part.fill} name={part.name} value={showExactly(part.value)} />
              ))}
              <Line isTotal name={total} value={showExactly(totals[chosen] ?? 0n)} />
              {past.length > 0 && <Line name={t('chart.before')} value={showExactly(past[chosen] ?? 0n)} />}
            </div>
          )}
        </div>
        <div className={classes.ticks} data-dense={buckets.length > 12} aria-hidden>
          {buckets.map((bucket, at) => (
            <span key={bucket}>{ticks.has(at) && <em>{tick(bucket)}</em>}</span>
          ))}
        </div>
      </div>
      <Legend {...props} hidden={hidden} onHide={setHidden} />
    </>
  );
}

/** In the legend the time before is one among the series. */
const BEFORE = ' before';

const sumUp = (buckets: number, series: readonly Pick<BarSeries, 'values'>[]): readonly bigint[] =>
  series.length === 0
    ? []
    : Array.from({ length: buckets }, (_, at) =>
        series.reduce((sum, { values }) => sum + (values[at] ?? 0n), 0n),
      );

/** Which bar a key chooses; undefined of other keys. */
function findMove(key: string, chosen: number | null, last: number): number | null | undefined {
  const at = chosen ?? last;
  const moves: Readonly<Record<string, number | null>> = {
    ArrowLeft: Math.max(0, chosen === null ? last : at - 1),
    ArrowRight: Math.min(last, chosen === null ? last : at + 1),
    Home: 0,
    End: last,
    Escape: null,
  };
  return moves[key];
}

interface SlotProps {
  readonly parts: readonly { readonly id: string; readonly fill: string; readonly value: bigint }[];
  /** How high the bar of the time before is, in percent. */
  readonly past: number;
  readonly toPercent: (value: bigint) => number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onOpen: ((series: string | null) => void) | undefined;
}

/** The place of one bucket. A finger chooses it first, and opens it once its values are told. */
function Slot({ parts, past, toPercent, isChosen, onChoose, onOpen }: SlotProps) {
  const [wasChosen, setWasChosen] = useState(false);
  const open = (event: MouseEvent) => {
    if (!wasChosen) return;
    const { series = null } = (event.target as HTMLElement).dataset;
    onOpen?.(series);
  };
  return (
    <div
      className={classes.slot}
      data-chosen={isChosen}
      data-opens={onOpen !== undefined}
      onPointerEnter={({ pointerType }) => {
        if (pointerType !== 'touch') onChoose();
      }}
      onPointerDown={() => {
        setWasChosen(isChosen);
        onChoose();
      }}
      onClick={open}
    >
      <div className={classes.bar}>
        {past > 0 && <div className={classes.past} style={{ height: `${past}%` }} />}
        {parts.map(({ id, fill, value }) => (
          <div
            key={id}
            className={classes.part}
            data-series={id}
            style={{ height: `${toPercent(value)}%`, background: fill }}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly fill?: string;
  readonly name: string;
  readonly value: string;
  readonly isTotal?: boolean;
}

const Line = ({ fill, name, value, isTotal }: LineProps) => (
  <div className={classes.line} data-total={isTotal}>
    {fill !== undefined && <i style={{ background: fill }} />}
    <span>{name}</span>
    <b className="tg-number">{value}</b>
  </div>
);

interface LegendProps extends Pick<
  StackedBarsProps,
  'series' | 'before' | 'isBeforeMissing' | 'show' | 'hasSums'
> {
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

/** What each colour is. A click hides it, and shows it again; the axis fits what is left. */
function Legend({
  series,
  before = [],
  isBeforeMissing = false,
  show,
  hasSums = false,
  hidden,
  onHide,
}: LegendProps) {
  const { t } = useTranslation();
  const entries = [
    ...series.map(({ id, name, fill, values }) => ({
      id,
      name,
      fill,
      sum: hasSums ? show(values.reduce((sum, value) => sum + value, 0n)) : null,
    })),
    ...(before.length === 0
      ? []
      : [{ id: BEFORE, name: t('chart.before'), fill: 'var(--tg-series-before)', sum: null }]),
  ];
  return (
    <ul className={classes.legend}>
      {entries.map(({ id, name, fill, sum }) => (
        <li key={id}>
          <UnstyledButton
            className={classes.key}
            aria-pressed={!hidden.has(id)}
            onClick={() => onHide(hidden.has(id) ? without(hidden, id) : new Set([...hidden, id]))}
          >
            <i style={{ background: fill }} aria-hidden />
            <span>{name}</span>
            {sum !== null && <b className="tg-number">{sum}</b>}
          </UnstyledButton>
        </li>
      ))}
      {isBeforeMissing && (
        <li>
          <Text size="xs" c="dimmed">
            {t('chart.noBefore')}
          </Text>
        </li>
      )}
    </ul>
  );
}

const without = (set: ReadonlySet<string>, gone: string): ReadonlySet<string> =>
  new Set([...set].filter((id) => id !== gone));
