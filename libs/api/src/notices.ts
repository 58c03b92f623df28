import { BUDGET_WINDOWS } from '@tollgate/contracts';
import { z } from 'zod';
import { REPORT_ERRORS, timestamp, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

const id = z.string().meta({ description: 'The same as long as it is the same matter' });
const key = { key_id: z.uuid(), key_name: z.string() };

/** What concerns somebody, by its kind. */
const notice = z
  .discriminatedUnion('kind', [
    z.object({
      id,
      kind: z.enum(['key_budget_low', 'key_budget_used']),
      ...key,
      window: z.enum(BUDGET_WINDOWS),
      spent_usd: usdAmount,
      budget_usd: usdAmount,
    }),
    z.object({ id, kind: z.literal('key_expires'), ...key, expires_at: timestamp }),
    z.object({ id, kind: z.enum(['account_out', 'account_low']), left_usd: usdAmount }),
    z.object({
      id,
      kind: z.literal('credential_refused'),
      upstream: z.string(),
      credential: z.string().nullable(),
      since: timestamp.nullable(),
    }),
    z.object({ id, kind: z.literal('upstream_ejected'), upstream: z.string(), until: timestamp.nullable() }),
    z.object({ id, kind: z.literal('usage_rejected'), events: z.int(), newest_at: timestamp }),
    z.object({ id, kind: z.literal('export_failed'), export_id: z.uuid(), failed_at: timestamp }),
  ])
  .meta({ id: 'Notice' });

export const notices = defineResource({
  listNotices: {
    method: 'GET',
    path: '/api/notices',
    summary: 'List what concerns whoever asks',
    description:
      'Of their account: budgets of keys of which four fifths are spent, keys that end within a week, money that runs out or has, exports that failed in the last week. Operators are told of refused credentials and ejected upstreams, who keeps the books of usage that cannot be booked.',
    permission: 'self:write',
    answer: z.object({ items: z.array(notice).meta({ description: 'What is worst comes first' }) }),
    errors: REPORT_ERRORS,
  },
});
