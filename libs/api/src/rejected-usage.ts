import { z } from 'zod';
import { REPORT_ERRORS, timestamp } from './common.ts';
import { defineResource } from './route.ts';

const ID = /^\d{1,18}$/;
const state = z.enum(['rejected', 'waiting']);

const rejectedUsage = z
  .object({
    id: z.string(),
    state,
    rejected_at: timestamp,
    request_id: z.string().nullable(),
    reason: z.string(),
    tries: z.int(),
    next_try_at: timestamp.nullable().meta({ description: 'Of what waits' }),
    event: z.unknown().meta({ description: 'As its gateway sent it' }),
  })
  .meta({ id: 'RejectedUsage', description: 'Usage that is kept and not booked' });

export const rejected = defineResource({
  listRejectedUsage: {
    method: 'GET',
    path: '/api/usage/rejected',
    summary: 'List usage that is not booked, the newest first',
    permission: 'ledger:read-all',
    query: z.object({
      state: state.optional().meta({ description: '`waiting` is tried again by itself; both without it' }),
      cursor: z
        .string()
        .regex(ID)
        .optional()
        .meta({ description: '`next` of the page before', examples: ['1042'] }),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answer: z.object({
      items: z.array(rejectedUsage),
      next: z.string().nullable().meta({ description: 'The cursor of the next page; null at the end' }),
    }),
    errors: REPORT_ERRORS,
  },
  retryRejectedUsage: {
    method: 'POST',
    path: '/api/usage/rejected/:id/retry',
    summary: 'Book rejected usage',
    description:
      'Once what it lacked is there, such as its version of the catalogue. It is posted once, however often.',
    permission: 'ledger:write',
    params: z.strictObject({
      id: z
        .string()
        .regex(ID, 'There is no such event: it may be in the books by now.')
        .meta({ examples: ['1042'] }),
    }),
    answer: z.object({ id: z.string(), request_id: z.string().nullable(), posted: z.literal(true) }),
    errors: { 409: 'It cannot be booked yet.' },
  },
});
