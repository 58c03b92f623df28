import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { toIdSchema, timestamp } from './common.ts';
import { EXPORT_FORMATS, EXPORT_KINDS, EXPORT_STATUSES } from './exports.ts';
import { defineResource } from './route.ts';

const SPANS = ['day', 'month'] as const;
const SCHEDULE_STATUSES = ['active', 'paused'] as const;

const scheduleBody = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    account_id: z.uuid().toLowerCase().nullable().default(null),
    every: z.enum(SPANS).meta({ description: 'How much each export holds' }),
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
    message: FIELD_RULES.only_months_close,
  })
  .refine(
    ({ every, first_date }) => every === 'day' || first_date === undefined || first_date.endsWith('-01'),
    { path: ['first_date'], message: FIELD_RULES.not_first_of_month },
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

const schedule = z
  .object({
    id: z.uuid(),
    name: z.string(),
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    account_id: z.uuid().nullable(),
    every: z.enum(SPANS),
    day: z.int(),
    hour: z.int(),
    time_zone: z.string(),
    after_close: z.boolean(),
    status: z.enum(SCHEDULE_STATUSES),
    next: z.object({
      from: timestamp,
      to: timestamp,
      due_at: timestamp,
      waits_for_close: z.boolean().meta({ description: 'A month that it holds is still open somewhere' }),
    }),
    last: z
      .object({
        export_id: z.uuid(),
        status: z.enum(EXPORT_STATUSES),
        from: timestamp,
        asked_at: timestamp,
      })
      .nullable(),
    created_by: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'ExportSchedule', description: 'Exports that come by themselves' });

const params = z.strictObject({ id: toIdSchema('schedule') });
const permission = 'export-schedules:write';

export const exportSchedules = defineResource({
  listSchedules: {
    method: 'GET',
    path: '/api/exports/schedules',
    summary: 'List schedules, the oldest first',
    description: 'With what each did last and does next.',
    permission,
    answer: z.object({ items: z.array(schedule) }),
  },
  createSchedule: {
    method: 'POST',
    path: '/api/exports/schedules',
    summary: 'Have a day or a month exported whenever one is over',
    description: 'What is due already is asked for at once.',
    permission,
    body: scheduleBody,
    status: 201,
    answer: schedule,
  },
  changeSchedule: {
    method: 'PATCH',
    path: '/api/exports/schedules/:id',
    summary: 'Halt a schedule, or let it go on',
    description: 'What was due meanwhile is made up for.',
    permission,
    params,
    body: z.strictObject({ status: z.enum(SCHEDULE_STATUSES) }).meta({ examples: [{ status: 'paused' }] }),
    answer: schedule,
  },
  removeSchedule: {
    method: 'DELETE',
    path: '/api/exports/schedules/:id',
    summary: 'Take a schedule away',
    description: 'The exports that it asked for stay.',
    permission,
    params,
    status: 204,
  },
});
