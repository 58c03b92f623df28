import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineResource } from './route.ts';

const detachBody = z
  .strictObject({ reason: z.string().trim().min(1).max(500) })
  .meta({ examples: [{ reason: 'Older than our retention of two years' }] });

const partition = z
  .object({
    month: z.string().nullable().meta({
      description:
        'Such as `2026-11`; null for the default partition, which holds what belongs to no month that there is',
    }),
    state: z.enum(['attached', 'detached']),
    rows: z.int().meta({ description: "As of the database's last statistics; exact for what is detached" }),
    bytes: z
      .int()
      .nullable()
      .meta({ description: 'With indices; null where a detached table was taken away' }),
  })
  .meta({ id: 'UsagePartition', description: 'A month of the usage log, as the database keeps it' });

export const partitions = defineResource({
  listPartitions: {
    method: 'GET',
    path: '/api/usage/partitions',
    summary: 'List the months of the usage log, the oldest first',
    permission: 'partitions:read',
    answer: z.object({ items: z.array(partition) }),
  },
  detachPartition: {
    method: 'POST',
    path: '/api/usage/partitions/:month/detach',
    summary: 'Take a closed month out of the usage log',
    description: 'A month is taken out once: asked again, the first time is the answer.',
    permission: 'partitions:detach',
    reauthenticate: true,
    params: z.strictObject({ month: z.string().meta({ examples: ['2026-11'] }) }),
    body: detachBody,
    answer: z
      .object({
        month: z.string(),
        table: z.string().meta({ description: 'Where its rows are now' }),
        rows: z.int(),
        actor: z.string(),
        reason: z.string(),
        detached_at: timestamp,
      })
      .meta({ id: 'DetachedPartition' }),
    errors: {
      404: 'The usage log has no such month.',
      409: 'The month is written to, its books are open, or the log is busy.',
    },
  },
});
