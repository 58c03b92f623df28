import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineResource } from './route.ts';

const detachBody = z
  .strictObject({ reason: z.string().trim().min(1).max(500) })
  .meta({ examples: [{ reason: 'Older than our retention of two years' }] });

const month = z.strictObject({ month: z.string().meta({ examples: ['2026-11'] }) });

const dropBody = z
  .strictObject({ reason: z.string().trim().min(1).max(500) })
  .meta({ examples: [{ reason: 'Dumped to the archive of the year' }] });

const partition = z
  .object({
    month: z.string().nullable().meta({
      description:
        'Such as `2026-11`; null for the default partition, which holds what belongs to no month that there is',
    }),
    state: z.enum(['attached', 'detached', 'dropping', 'dropped']),
    rows: z.int().meta({
      description:
        "Those that are there: as of the database's last statistics, exact for what is not attached",
    }),
    bytes: z
      .int()
      .nullable()
      .meta({ description: 'With indices; null where the table is not there any more' }),
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
    params: month,
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
      409: 'The month is written to, its books are open, an export reads it, or the log is busy.',
    },
  },
  dropPartition: {
    method: 'POST',
    path: '/api/usage/partitions/:month/drop',
    summary: 'Drop the rows of a month that was taken out of the usage log',
    description:
      'What they come to by quarters of an hour stays, so that audits and verifications agree; the rows are gone: dump ' +
      'the table first. It goes on in the background: asked again, the answer is how far it is.',
    permission: 'partitions:drop',
    reauthenticate: true,
    params: month,
    body: dropBody,
    answer: z
      .object({
        month: z.string(),
        state: z.enum(['dropping', 'dropped']),
        rows: z.int().meta({ description: 'That are still there' }),
        dropped_rows: z.int(),
        dropped_attempts: z.int().meta({
          description:
            'Attempts that brought nothing: they go behind the rows. Of a drop that was begun by a version before migration 21 they stay',
        }),
        actor: z.string(),
        reason: z.string(),
        begun_at: timestamp,
        ended_at: timestamp.nullable(),
      })
      .meta({ id: 'DroppedPartition' }),
    errors: {
      404: 'The month was not taken out of the usage log, or its table is gone.',
      409: 'No complete audit from the start has found the books right since it was taken out.',
    },
  },
});
