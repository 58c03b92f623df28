import { RANGES, type Range } from '../home/search.ts';

export const MEASURES = ['requests', 'spend', 'firstByte'] as const;
export type Measure = (typeof MEASURES)[number];

/** What the address of the overview says; what is as usual is left out. */
export interface OverviewSearch {
  readonly range?: Range;
  readonly measure?: Measure;
}

export const USUAL = { range: '24h', measure: 'requests' } as const;

/** Takes what it understands of an address and leaves the rest. */
export function readOverviewSearch({ range, measure }: Readonly<Record<string, unknown>>): OverviewSearch {
  const knownRange = (Object.keys(RANGES) as Range[]).find((each) => each === range && each !== USUAL.range);
  const knownMeasure = MEASURES.find((each) => each === measure && each !== USUAL.measure);
  return {
    ...(knownRange === undefined ? {} : { range: knownRange }),
    ...(knownMeasure === undefined ? {} : { measure: knownMeasure }),
  };
}

/** Days count from the one that began so many days ago, today among them. */
export function toOverviewParams({ range = USUAL.range }: OverviewSearch) {
  const { hours, bucket } = RANGES[range];
  return { hours: bucket === 'hour' ? hours : hours - 23, bucket };
}
