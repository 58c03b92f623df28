import { Text } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { axisEnd, labelPlaces, computePercent } from './scale.ts';
import classes from './StackedBars.module.css';

export interface BarSeries {
  readonly id: string;
  readonly name: string;
  /** A colour of the theme. */
  readonly colour: string;
  /** One for each bucket, in the smallest unit. */
  readonly values: readonly bigint[];
}

interface StackedBarsProps {
  /** What the chart shows, for those who cannot see it. */
  readonly label: string;
  readonly buckets: readonly string[];
  readonly series: readonly BarSeries[];
  /** A value as a person reads it. */
  readonly show: (value: bigint) => string;
  readonly showExactly: (value: bigint) => string;
  /** A bucket below the axis, and in full. */
  readonly tick: (bucket: string) => string;
  readonly name: (bucket: string) => string;
  readonly total: string;
}

const MAX_TICKS = 7;

/** Bars over time, stacked by series. A pointer or the arrow keys choose a bar, whose values are then told. */
export function StackedBars({
  label,
  buckets,
  series,
  show,
  showExactly,
  tick,
  name,
  total,
}: StackedBarsProps) {
  const [chosen, choose] = useState<number | null>(null);
  const totals = buckets.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0n), 0n));
  const end = axisEnd(totals.reduce((max, value) => (value > max ? value : max), 0n));
  const ticks = new Set(labelPlaces(buckets.length, MAX_TICKS));
  const last = buckets.length - 1;
  const partsOf = (at: number) =>
    series
      .map(({ id, name: own, colour, values }) => ({ id, name: own, colour, value: values[at] ?? 0n }))
      .filter(({ value }) => value > 0n);
  const tell = (at: number): string =>
    [
      `${name(buckets[at] ?? '')}: ${showExactly(totals[at] ?? 0n)}`,
      ...partsOf(at).map((part) => `${part.name} ${showExactly(part.value)}`),
    ].join(', ');
  const onKeyDown = (event: KeyboardEvent) => {
    const at = chosen ?? last;
    const moves: Readonly<Record<string, number | null>> = {
      ArrowLeft: Math.max(0, chosen === null ? last : at - 1),
      ArrowRight: Math.min(last, chosen === null ? last : at + 1),
      Home: 0,
      End: last,
      Escape: null,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    choose(move);
  };

  return (
    <div className={classes.chart} onPointerLeave={() => choose(null)}>
      <div className={classes.axis} aria-hidden>
        {[end, end / 2n, 0n].map((value, index) => (
          <span key={index}>{index === 1 && end < 2n ? '' : show(value)}</span>
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
        onKeyDown={onKeyDown}
        onBlur={() => choose(null)}
      >
        {buckets.map((bucket, at) => (
          <div
            key={bucket}
            className={classes.slot}
            data-chosen={chosen === at}
            onPointerEnter={() => choose(at)}
            onPointerDown={() => choose(at)}
          >
            <div className={classes.bar}>
              {partsOf(at).map(({ id, colour, value }) => (
                <div key={id} style={{ height: `${computePercent(value, end)}%`, background: colour }} />
              ))}
            </div>
          </div>
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
              <div key={part.id} className={classes.line}>
                <i style={{ background: part.colour }} />
                <span>{part.name}</span>
                <b className="tg-number">{showExactly(part.value)}</b>
              </div>
            ))}
            <div className={classes.line} data-total>
              <span>{total}</span>
              <b className="tg-number">{showExactly(totals[chosen] ?? 0n)}</b>
            </div>
          </div>
        )}
      </div>
      <div className={classes.ticks} data-dense={buckets.length > 12} aria-hidden>
        {buckets.map((bucket, at) => (
          <span key={bucket}>{ticks.has(at) && <em>{tick(bucket)}</em>}</span>
        ))}
      </div>
    </div>
  );
}
