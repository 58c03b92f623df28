import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { summariseUsage } from './generated/sdk/usage.gen.ts';
import type { SummariseUsageData } from './generated/types.gen.ts';
import { toPast } from './past.ts';
import { read } from './result.ts';

export type { UsageSeries, UsageSummary, UsageSums } from './generated/types.gen.ts';

type SummaryQuery = NonNullable<SummariseUsageData['query']>;

interface AsOfNow extends Pick<SummaryQuery, 'bucket' | 'by'> {
  readonly hours: number;
  /** As long a time before it. */
  readonly isBefore?: boolean;
}

/** What is asked for as of now, so that a summary is not asked for again every millisecond. */
export const summaryQuery = ({ hours, bucket, by, isBefore = false }: AsOfNow) =>
  queryOptions({
    queryKey: ['usage-summary', { hours, bucket, by, isBefore }],
    queryFn: ({ signal }) =>
      read(summariseUsage({ query: { ...toPast(hours, bucket, isBefore), bucket, by }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
