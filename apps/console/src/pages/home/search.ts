/** How far back the figures reach. */
export const RANGES = {
  '24h': { hours: 24, bucket: 'hour' },
  '7d': { hours: 7 * 24, bucket: 'day' },
  '30d': { hours: 30 * 24, bucket: 'day' },
  '90d': { hours: 90 * 24, bucket: 'day' },
} as const;
export type Range = keyof typeof RANGES;

export const GROUPS = ['model', 'key'] as const;
export const MEASURES = ['cost', 'requests', 'tokens'] as const;

/** What the address of the home page says; what is as usual is left out. */
export interface HomeSearch {
  readonly range?: Range;
  readonly by?: (typeof GROUPS)[number];
  readonly measure?: (typeof MEASURES)[number];
}

/** Requests that the page lists. */
export const RECENT_REQUESTS = 8;

export const USUAL = { range: '7d', by: 'model', measure: 'cost' } as const;

const isOne = <T extends string>(names: readonly T[], value: unknown): value is T =>
  names.includes(value as T);

/** Takes what it understands of an address and leaves the rest. */
export function readHomeSearch({ range, by, measure }: Readonly<Record<string, unknown>>): HomeSearch {
  return {
    ...(isOne(Object.keys(RANGES) as Range[], range) && range !== USUAL.range ? { range } : {}),
    ...(isOne(GROUPS, by) && by !== USUAL.by ? { by } : {}),
    ...(isOne(MEASURES, measure) && measure !== USUAL.measure ? { measure } : {}),
  };
}

/** What a summary is asked for with. Days count from the one that began so many days ago, today among them. */
export const toSummaryParams = ({ range = USUAL.range, by = USUAL.by }: HomeSearch) => ({
  hours: range === '24h' ? RANGES[range].hours : RANGES[range].hours - 23,
  bucket: RANGES[range].bucket,
  by,
});

/** What requests are counted with: the same span. */
export const toCountsParams = ({ range }: HomeSearch) => {
  const { hours, bucket } = toSummaryParams(range === undefined ? {} : { range });
  return { hours, bucket };
};
