import { z } from 'zod';
import { plainText } from '../../ledger/operation-bodies.ts';
import { EXPORT_FORMATS, EXPORT_KINDS } from '../export-job.ts';

/** What is asked for with `POST /api/exports/schedules`. */
export const scheduleBody = z
  .strictObject({
    name: plainText(100),
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    account_id: z.uuid().toLowerCase().nullable().default(null),
    every: z.enum(['day', 'month']).meta({ description: 'How much each export holds' }),
    day: z
      .int()
      .min(1)
      .max(28)
      .default(1)
      .meta({ description: 'Of the month that follows, on which a month is exported' }),
    hour: z.int().min(0).max(23).default(0).meta({ description: 'By the clocks of the time zone' }),
    time_zone: z.string().min(1).max(64).default('UTC'),
    after_close: z
      .boolean()
      .default(false)
      .meta({ description: 'Wait until the month is closed: of the account, or of all of them' }),
    first_date: z.iso
      .date()
      .optional()
      .meta({ description: 'The first day that is exported; without it the day or month of now' }),
  })
  .refine(({ every, after_close }) => every === 'month' || !after_close, {
    path: ['after_close'],
    message: 'only months are closed',
  })
  .refine(
    ({ every, first_date }) => every === 'day' || first_date === undefined || first_date.endsWith('-01'),
    { path: ['first_date'], message: 'must be the first day of a month' },
  )
  .meta({
    examples: [
      {
        name: 'Month-end books',
        kind: 'ledger',
        format: 'parquet',
        every: 'month',
        day: 4,
        hour: 6,
        time_zone: 'Europe/Berlin',
        after_close: true,
      },
    ],
  });
export type ScheduleBody = z.infer<typeof scheduleBody>;

export const changeScheduleBody = z
  .strictObject({ status: z.enum(['active', 'paused']) })
  .meta({ examples: [{ status: 'paused' }] });
