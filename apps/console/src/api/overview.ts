import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { showOverview } from './generated/sdk/overview.gen.ts';
import type { ShowOverviewData } from './generated/types.gen.ts';
import { toPast } from './past.ts';
import { read } from './result.ts';

export type { Overview, ServedFigures } from './generated/types.gen.ts';

interface AsOfNow extends Pick<NonNullable<ShowOverviewData['query']>, 'bucket'> {
  readonly hours: number;
  /** As long a time before it. */
  readonly isBefore?: boolean;
}

/** All accounts, as of now. */
export const overviewQuery = ({ hours, bucket, isBefore = false }: AsOfNow) =>
  queryOptions({
    queryKey: ['overview', { hours, bucket, isBefore }],
    queryFn: ({ signal }) =>
      read(showOverview({ query: { ...toPast(hours, bucket, isBefore), bucket }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: isBefore ? 300_000 : 30_000,
  });
