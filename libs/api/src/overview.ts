import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { REPORT_ERRORS, timestamp, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

const servedFigures = z
  .object({
    requests: z.int(),
    revenue_usd: usdAmount,
    upstream_cost_usd: usdAmount.meta({ description: 'With what attempts that brought nothing may cost' }),
    margin_usd: usdAmount.meta({ description: 'Of requests whose cost is known' }),
    requests_of_unknown_cost: z.int(),
    first_byte_ms: z.int().nullable().meta({ description: 'The mean; null without any' }),
    latency_ms: z.int().nullable().meta({ description: 'The mean; null without any' }),
  })
  .meta({ id: 'ServedFigures', description: 'Of requests with a charge, as they are in the books' });

const percentile = z.int().nullable();
const percentiles = z
  .object({ p50_ms: percentile, p95_ms: percentile, p99_ms: percentile })
  .meta({ id: 'Percentiles' });

const each = z
  .object({
    requests: z.array(z.int()).meta({ description: 'All, failed ones included' }),
    failed: z.array(z.int()),
    revenue_usd: z.array(usdAmount),
    upstream_cost_usd: z.array(usdAmount),
    margin_usd: z.array(usdAmount),
    first_byte_ms: z.array(z.int().nullable()),
  })
  .meta({ id: 'OverviewSeries', description: 'One value for each bucket' });

const account = { account_id: z.uuid(), account_name: z.string().nullable() };

export const overview = defineResource({
  showOverview: {
    method: 'GET',
    path: '/api/overview',
    summary: 'Show requests, failures, latency, spend and margin of all accounts over time',
    description:
      'Hours are those of UTC; days are those of the account of who asks, cut at whole hours of UTC.',
    permission: 'requests:read-all',
    query: z.object({
      from: momentSchema.optional().meta({
        description: 'Rounded down to the beginning of its bucket; a day before `to` where it is left out',
        examples: ['2026-11-01T00:00:00Z'],
      }),
      to: momentSchema.optional().meta({
        description: 'Exclusive, now where it is left out',
        examples: ['2026-12-01T00:00:00Z'],
      }),
      bucket: z.enum(['hour', 'day']).default('hour'),
    }),
    answer: z
      .object({
        from: timestamp,
        to: timestamp,
        bucket: z.enum(['hour', 'day']),
        time_zone: z.string(),
        buckets: z.array(timestamp).meta({ description: 'Where each begins' }),
        requests: z.int().meta({ description: 'All, failed ones included' }),
        failed: z.int().meta({ description: 'Without what clients left by themselves' }),
        total: servedFigures,
        latency: z
          .object({
            requests: z.int(),
            first_byte: percentiles,
            whole: percentiles.meta({ description: 'To the end of the answer' }),
          })
          .meta({
            description:
              'Of those among the newest requests with a charge that are of the span; null without any',
          }),
        each,
        customers: z
          .array(z.object({ ...account, requests: z.int(), revenue_usd: usdAmount }))
          .meta({ description: 'Who was charged the most' }),
        models: z
          .array(servedFigures.extend({ model: z.string() }))
          .meta({ description: 'Those with the most revenue' }),
        upstreams: z
          .array(servedFigures.extend({ upstream: z.string() }))
          .meta({ description: 'Those with the most requests' }),
        running_dry: z.array(z.object({ ...account, left_usd: usdAmount, spent_a_day_usd: usdAmount })).meta({
          description: 'Accounts that may spend no more than they did in the last three days, and did',
        }),
      })
      .meta({ id: 'Overview' }),
    errors: REPORT_ERRORS,
  },
});
