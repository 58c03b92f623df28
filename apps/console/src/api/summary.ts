import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { summariseUsage } from './generated/sdk/usage.gen.ts';
import type { SummariseUsageData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { UsageSeries, UsageSummary, UsageSums } from './generated/types.gen.ts';

type SummaryQuery = NonNullable<SummariseUsageData['query']>;

/** What is asked for as of now, so that a summary is not asked for again every millisecond. */
export const summaryQuery = ({
  hours,
  bucket,
  by,
}: Pick<SummaryQuery, 'bucket' | 'by'> & { readonly hours: number }) =>
  queryOptions({
    queryKey: ['usage-summary', { hours, bucket, by }],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (hours - 1) * 3_600_000).toISOString();
      return read(summariseUsage({ query: { from, bucket, by }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
