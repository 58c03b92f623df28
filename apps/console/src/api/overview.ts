import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { showOverview } from './generated/sdk/overview.gen.ts';
import type { ShowOverviewData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { Overview, ServedFigures } from './generated/types.gen.ts';

/** All accounts, as of now. */
export const overviewQuery = ({
  hours,
  bucket,
}: Pick<NonNullable<ShowOverviewData['query']>, 'bucket'> & { readonly hours: number }) =>
  queryOptions({
    queryKey: ['overview', { hours, bucket }],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (hours - 1) * 3_600_000).toISOString();
      return read(showOverview({ query: { from, bucket }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
