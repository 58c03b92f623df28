import { momentSchema } from '@tollgate/contracts';
import { MARGIN_GROUPS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { REPORT_ERRORS, USAGE_DETACHED, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

const marginFigures = z
  .object({
    requests: z.int(),
    requests_of_unknown_cost: z
      .int()
      .meta({ description: 'Of which nobody knows what they cost us: they have revenue and no margin' }),
    revenue_usd: usdAmount,
    revenue_of_unknown_cost_usd: usdAmount,
    upstream_cost_usd: usdAmount,
    lost_attempts: z
      .int()
      .meta({ description: 'Attempts at upstreams that brought nothing, and that these may bill' }),
    lost_attempts_of_unknown_cost: z.int(),
    lost_attempts_cost_usd: usdAmount.meta({ description: 'A part of `upstream_cost_usd`' }),
    margin_usd: usdAmount,
    margin_ratio: z
      .string()
      .nullable()
      .meta({ description: 'Of the revenue whose cost is known, such as "0.25"; null without any' }),
  })
  .meta({ id: 'MarginFigures' });

const name = z.string().nullable().optional();

const marginRow = marginFigures
  .extend({ model: name, pool: name, customer: name, upstream: name, vendor: name, customer_name: name })
  .meta({ id: 'MarginRow', description: 'It has the name that margins are shown by' });

const groupBy = z.enum(MARGIN_GROUPS);

export const margins = defineResource({
  getMargins: {
    method: 'GET',
    path: '/api/finance/margins',
    summary: 'Show what was earned, the most first',
    description:
      'Revenue, what upstreams charge, and the margin: by model, pool, customer, upstream or vendor. Refunds are not taken off.',
    permission: 'ledger:read-all',
    query: z.object({
      group_by: groupBy.default('model'),
      from: momentSchema
        .optional()
        .meta({ description: 'Of booked_at, inclusive', examples: ['2026-11-01T00:00:00Z'] }),
      to: momentSchema
        .optional()
        .meta({ description: 'Of booked_at, exclusive', examples: ['2026-12-01T00:00:00Z'] }),
    }),
    answer: z
      .object({
        group_by: groupBy,
        from: z.string().nullable().meta({ description: 'As it was asked for' }),
        to: z.string().nullable(),
        groups: z.array(marginRow),
        total: marginFigures,
      })
      .meta({ id: 'Margins' }),
    errors: { ...REPORT_ERRORS, 409: USAGE_DETACHED },
  },
});
