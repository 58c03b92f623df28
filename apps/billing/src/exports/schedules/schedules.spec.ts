import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../../testing/billing-service.ts';
import { type At, ended, type ShownExport } from '../../../testing/exports.ts';
import { type TestEnvironment, startTestEnvironment } from '../../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../../testing/people.ts';
import { closePeriod } from '../../periods/close-period.ts';
import { askForDueExports } from './due-exports.ts';

interface Schedule {
  readonly id: string;
  readonly status: string;
  readonly next: { from: string; to: string; due_at: string; waits_for_close: boolean };
  readonly last: { export_id: string; status: string; from: string } | null;
}
type Listed<T> = { readonly items: readonly T[] };

const LONG_MS = 60_000;
let environment: TestEnvironment;
let billing: RunningBilling;
let directory: string;
let finance: At;
beforeAll(async () => {
  environment = await startTestEnvironment();
  directory = mkdtempSync(join(tmpdir(), 'tollgate-schedules-'));
  billing = await startBillingOn(environment, { EXPORT_DIR: directory });
  await addPerson(environment, 'finance@billing.example', 'finance');
  finance = { url: billing.url, cookie: await signIn(billing.url, 'finance@billing.example') };
}, LONG_MS);
afterAll(async () => {
  await billing.stop();
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await environment.database.query('DELETE FROM billing.export_schedule');
  await environment.database.query('DELETE FROM billing.export_job');
});

const daily = { name: 'Every day', kind: 'usage', format: 'csv', every: 'day' };
const monthly = { name: 'Every month', kind: 'ledger', format: 'jsonl', every: 'month' };
const make = async (params: object): Promise<Schedule> => {
  const { status, body } = await call<Schedule>(finance, 'POST', '/api/exports/schedules', params);
  expect([status, body]).toMatchObject([201, { id: expect.any(String) }]);
  return body;
};
const seen = async (id: string): Promise<Schedule | undefined> =>
  (await call<Listed<Schedule>>(finance, 'GET', '/api/exports/schedules')).body.items.find(
    (each) => each.id === id,
  );
const runsOf = async (id: string): Promise<readonly (ShownExport & { from: string; to: string })[]> =>
  (
    await call<Listed<ShownExport & { from: string; to: string }>>(
      finance,
      'GET',
      `/api/exports?schedule_id=${id}`,
    )
  ).body.items;
const look = (at: string) =>
  askForDueExports(environment.database, { partRows: 1_000, providerName: 'Tollgate', at: new Date(at) });

test('a day is exported once when it is over, at its hour on the clocks of the time zone', async () => {
  const zone = { time_zone: 'Europe/Berlin', hour: 6, first_date: '2035-10-28' };
  const { id, next } = await make({ ...daily, ...zone });
  // The day on which the clocks go back has 25 hours.
  expect(next).toEqual({
    from: '2035-10-27T22:00:00.000Z',
    to: '2035-10-28T23:00:00.000Z',
    due_at: '2035-10-29T05:00:00.000Z',
    waits_for_close: false,
  });
  expect(await look('2035-10-29T04:59:59.999Z')).toBe(0);
  expect(await Promise.all([look('2035-10-29T05:00:00Z'), look('2035-10-29T05:00:00Z')])).toEqual(
    expect.arrayContaining([0, 1]),
  );
  expect(await runsOf(id)).toMatchObject([{ from: next.from, to: next.to, schedule_id: id }]);
  expect(await seen(id)).toMatchObject({ next: { from: next.to }, last: { from: next.from } });
});

test('what was due while nobody looked is made up for', async () => {
  const { id } = await make({ ...daily, first_date: '2040-01-01' });
  expect(await look('2040-01-04T12:00:00Z')).toBe(3);
  expect((await runsOf(id)).map(({ from }) => from.slice(0, 10)).sort()).toEqual([
    '2040-01-01',
    '2040-01-02',
    '2040-01-03',
  ]);
});

test('who has ten exports that are not finished gets the scheduled ones later', async () => {
  const { id } = await make({ ...daily, first_date: '2040-01-01' });
  await environment.database.query(
    `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
       provider_name, requested_by, not_before)
     SELECT gen_random_uuid(), 'usage', 'csv', 'books', now(), now() + interval '1 day', 0, 1, 'Tollgate',
       'finance@billing.example', 'infinity' FROM generate_series(1, 10)`,
  );
  expect(await look('2040-01-02T12:00:00Z')).toBe(0);
  await environment.database.query(`DELETE FROM billing.export_job WHERE not_before = 'infinity'`);
  expect(await look('2040-01-02T12:00:00Z')).toBe(1);
  expect(await runsOf(id)).toHaveLength(1);
});

test('a month that waits for its closing is exported when every account has closed it', async () => {
  await environment.database.query(`UPDATE billing.account SET created_at = '2026-09-10T00:00:00Z'`);
  const { id } = await make({ ...monthly, day: 4, after_close: true, first_date: '2026-09-01' });
  expect(await seen(id)).toMatchObject({
    last: null,
    next: { due_at: '2026-10-04T00:00:00.000Z', waits_for_close: true },
  });
  const accounts: { id: string }[] = await environment.database.query('SELECT id FROM billing.account');
  for (const account of accounts)
    await closePeriod(environment.database, account.id, '2026-09', { actor: 'test', reason: 'over' });
  expect(await look('2026-10-03T23:59:59Z')).toBe(0);
  expect(await look('2026-10-04T00:00:00Z')).toBe(1);
  expect(await runsOf(id)).toMatchObject([
    { from: '2026-09-01T00:00:00.000Z', to: '2026-10-01T00:00:00.000Z', kind: 'ledger' },
  ]);
});

test('what is due already when a schedule is made is written at once', async () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { id } = await make({ ...daily, first_date: yesterday });
  const [run] = await runsOf(id);
  expect(await ended(finance, run?.id ?? '')).toMatchObject({ status: 'done' });
  expect(await seen(id)).toMatchObject({ last: { export_id: run?.id, status: 'done' } });
});

test(
  'billing looks for itself',
  async () => {
    const { id } = await make(daily);
    const before = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
    await environment.database.query('UPDATE billing.export_schedule SET next_date = $2 WHERE id = $1', [
      id,
      before,
    ]);
    await environment.redis.flushall();
    const other = await startBillingOn(environment, { EXPORT_DIR: directory });
    await waitFor(async () => (await runsOf(id)).length === 2, 'the scheduled exports', LONG_MS);
    await other.stop();
  },
  2 * LONG_MS,
);

test('a schedule that is paused asks for nothing, and makes up for it when it goes on', async () => {
  const { id } = await make({ ...daily, first_date: '2041-01-01' });
  const change = (status: string) => call(finance, 'PATCH', `/api/exports/schedules/${id}`, { status });
  expect((await change('paused')).body).toMatchObject({ id, status: 'paused' });
  expect(await look('2041-01-02T12:00:00Z')).toBe(0);
  expect((await change('active')).body).toMatchObject({ status: 'active' });
  expect(await look('2041-01-02T12:00:00Z')).toBe(1);
});

test('exports outlive the schedule that asked for them', async () => {
  const { id } = await make({ ...daily, first_date: '2042-01-01' });
  await look('2042-01-02T12:00:00Z');
  const [run] = await runsOf(id);
  expect((await call(finance, 'DELETE', `/api/exports/schedules/${id}`)).status).toBe(204);
  expect(await seen(id)).toBeUndefined();
  expect((await call(finance, 'GET', `/api/exports/${run?.id}`)).body).toMatchObject({ schedule_id: null });
  expect((await call(finance, 'DELETE', `/api/exports/schedules/${id}`)).status).toBe(404);
  expect((await call(finance, 'PATCH', `/api/exports/schedules/x`, { status: 'paused' })).status).toBe(404);
});

test('what is done to a schedule stands in the audit log, with who did it', async () => {
  const { id } = await make({ ...daily, first_date: '2043-01-01' });
  await call(finance, 'PATCH', `/api/exports/schedules/${id}`, { status: 'paused' });
  await call(finance, 'DELETE', `/api/exports/schedules/${id}`);
  const path = `/api/audit-log?object=${encodeURIComponent(`export schedule ${id}`)}`;
  const { body } = await call<Listed<{ action: string; actor: string }>>(finance, 'GET', path);
  expect(body.items.map(({ action, actor }) => `${action} ${actor}`).reverse()).toEqual(
    ['create', 'change', 'delete'].map((what) => `export-schedule.${what} finance@billing.example`),
  );
});

test.each([
  [{ ...daily, after_close: true }, 'after_close'],
  [{ ...monthly, first_date: '2026-11-02' }, 'first_date'],
  [{ ...monthly, day: 29 }, 'day'],
  [{ ...monthly, time_zone: 'Europe/Atlantis' }, 'time_zone'],
  [{ ...monthly, account_id: '0198f1c2-7d1e-7000-8000-00000000dead' }, 'account_id'],
])('%j is refused, and %s is named', async (body, param) => {
  const answer = await call(finance, 'POST', '/api/exports/schedules', body);
  expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
});

test('members have no schedules', async () => {
  await addPerson(environment, 'member@billing.example', 'member');
  const member = { url: billing.url, cookie: await signIn(billing.url, 'member@billing.example') };
  expect((await call(member, 'GET', '/api/exports/schedules')).status).toBe(403);
  expect((await call(member, 'POST', '/api/exports/schedules', daily)).status).toBe(403);
});
