import { type ExportForm, toExportBody, type ScheduleForm, toScheduleBody } from './export-form.ts';

const form: ExportForm = {
  kind: 'usage',
  format: 'csv',
  account: undefined,
  from: '2026-11-01',
  to: '2026-11-30',
  model: ' sim-chat ',
  key: '',
};
const span = { from: '2026-10-31T16:00:00.000Z', to: '2026-11-30T16:00:00.000Z' };

test('an export holds its last day whole', () => {
  expect(toExportBody(form, 'Asia/Shanghai')).toEqual({
    kind: 'usage',
    format: 'csv',
    ...span,
    model: 'sim-chat',
  });
});

test('the ledger is asked for without models and keys', () => {
  expect(toExportBody({ ...form, kind: 'ledger', key: 'x', account: 'a' }, 'Asia/Shanghai')).toEqual({
    kind: 'ledger',
    format: 'csv',
    ...span,
    account_id: 'a',
  });
});

test.each([
  { from: undefined, to: undefined },
  { from: '2026-11-01', to: undefined },
])('%j is no time', (days) => {
  expect(toExportBody({ ...form, ...days }, 'Asia/Shanghai')).toBeNull();
});

const schedule: ScheduleForm = {
  kind: 'ledger',
  format: 'parquet',
  account: undefined,
  name: ' Books ',
  every: 'month',
  day: '4',
  hour: 6,
  timeZone: 'Europe/Berlin',
  afterClose: true,
};

test('a day waits for no closing', () => {
  const month = {
    name: 'Books',
    kind: 'ledger',
    format: 'parquet',
    account_id: null,
    every: 'month',
    day: 4,
    hour: 6,
    time_zone: 'Europe/Berlin',
    after_close: true,
  };
  expect(toScheduleBody(schedule)).toEqual(month);
  expect(toScheduleBody({ ...schedule, every: 'day' })).toEqual({
    ...month,
    every: 'day',
    day: 1,
    after_close: false,
  });
});
