import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { billingUsageControllerSummary } from './generated/sdk/billing-usage.gen.ts';
import type { BillingUsageControllerSummaryData } from './generated/types.gen.ts';
import { bodyOf } from './result.ts';

export interface UsageSums {
  readonly requests: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  /** Exact decimal USD, as are all amounts here. */
  readonly cost_usd: string;
}

/** One line of a chart; each list has an entry for every bucket. */
export interface UsageSeries {
  /** A model, the id of a key or an outcome; null for all that have no series of their own. */
  readonly key: string | null;
  /** The name of a key. */
  readonly label: string | null;
  readonly total: UsageSums;
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
  readonly cost_usd: readonly string[];
}

export interface UsageSummary {
  readonly from: string;
  readonly to: string;
  readonly bucket: 'hour' | 'day';
  readonly time_zone: string;
  readonly spent: { readonly today_usd: string; readonly this_month_usd: string };
  readonly total: UsageSums & {
    readonly outcomes: Readonly<Record<'completed' | 'client_aborted' | 'upstream_cut', number>>;
  };
  /** Of the newest requests of the time, in milliseconds; null where there are none. */
  readonly latency: {
    readonly requests: number;
    readonly p50_ms: number | null;
    readonly p95_ms: number | null;
    readonly first_byte_p50_ms: number | null;
    readonly first_byte_p95_ms: number | null;
  };
  /** Where each bucket begins. */
  readonly buckets: readonly string[];
  readonly series: readonly UsageSeries[];
}

type SummaryParams = NonNullable<BillingUsageControllerSummaryData['query']>;

/** What is asked for as of now, so that a summary is not asked for again every millisecond. */
export const summaryQuery = (params: Pick<SummaryParams, 'bucket' | 'by'> & { readonly hours: number }) =>
  queryOptions({
    queryKey: ['usage-summary', params],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (params.hours - 1) * 3_600_000).toISOString();
      const { bucket, by } = params;
      return bodyOf<UsageSummary>(billingUsageControllerSummary({ query: { from, bucket, by }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
