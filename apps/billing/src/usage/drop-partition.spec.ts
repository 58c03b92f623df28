import { waitFor } from '@tollgate/harness';
import { completeAudit } from '../../testing/complete-audit.ts';
import { at, NEXT, OLD, serveOldBooks, type ServedBooks } from '../../testing/old-books.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { requestIdAt } from '../../testing/usage-events.ts';
import { auditNew } from '../ledger/audit.ts';
import { readStatement } from '../statements/statement.ts';
import { partitionName } from './partitions.ts';

const KEY = '0198f1c2-7d1e-7000-9000-000000000001';

let served: ServedBooks;
let books: ServedBooks['books'];
let billing: ServedBooks['billing'];
let owner: string;
beforeEach(async () => {
  served = await serveOldBooks();
  ({ books, billing, cookie: owner } = served);
});
afterEach(() => served.stop());

const drop = (body: object = { reason: 'dumped' }, cookie = owner, month = OLD) =>
  call<Record<string, unknown> & { error?: { code: string; message: string } }>(
    { url: billing.url, cookie },
    'POST',
    `/api/usage/partitions/${month}/drop`,
    body,
  );
/** The answer is there within two seconds, and on a busy machine the drop goes on behind it: asked again, it says how far that is. */
const dropped = () =>
  waitFor(async () => {
    const answer = await drop();
    return answer.body['state'] !== 'dropping' && answer;
  }, 'the end of the drop');
const listed = async () =>
  (
    await call<{ items: { month: string; state: string; rows: number; bytes: number | null }[] }>(
      { url: billing.url, cookie: owner },
      'GET',
      '/api/usage/partitions',
    )
  ).body.items.find(({ month }) => month === OLD);
const addToHours = (cost: number) =>
  books.query(`UPDATE billing.account_hour SET cost_pico = cost_pico + ${cost}`);

test('what a dropped month came to stays, and audits and verifications agree', async () => {
  await books.post(
    { cost: 7, upstreamPico: 3, occurred_at: at(OLD, '15') },
    { cost: 11, occurred_at: at(OLD, '16'), key_id: KEY },
    { cost: 13, occurred_at: at(NEXT, '01') },
    ...[1, 2, 3].map((nth) => ({
      cost: 0,
      lost: 'timeout' as const,
      occurred_at: at(OLD, '16'),
      request_id: `${requestIdAt(at(OLD, '16'), nth)}.1`,
    })),
  );
  await books.takeOut();
  const statement = () => readStatement(books.environment.database, books.environment.first.accountId, OLD);
  const before = await statement();

  expect(await dropped()).toMatchObject({
    status: 200,
    body: {
      month: OLD,
      state: 'dropped',
      rows: 0,
      dropped_rows: 2,
      dropped_attempts: 3,
      actor: books.environment.first.email,
      reason: 'dumped',
      ended_at: expect.any(String),
    },
  });
  expect(await books.query(`SELECT to_regclass('billing_archive.${partitionName(OLD)}') AS place`)).toEqual([
    { place: null },
  ]);
  expect(await listed()).toEqual({ month: OLD, state: 'dropped', rows: 0, bytes: null });
  expect(await books.findWrong()).toEqual([]);
  expect((await auditNew(books.environment.database)).differences).toEqual([]);
  expect(await statement()).toEqual(before);
  expect((await drop({ reason: 'again' })).body).toMatchObject({ state: 'dropped', reason: 'dumped' });
  expect(
    await books.query(`SELECT action, object, reason FROM billing.audit_log WHERE action = 'partition.drop'`),
  ).toEqual([{ action: 'partition.drop', object: `partition ${OLD}`, reason: 'dumped' }]);
});

test('an invoice of its days is not compared with what is left', async () => {
  await books.dropTwo();
  const reconcile = (first: string, last: string) =>
    fetch(
      `${billing.url}/api/finance/reconciliations?upstream=east&time_zone=Asia/Kolkata&first_day=${first}&last_day=${last}`,
      {
        method: 'POST',
        headers: { cookie: owner, 'content-type': 'text/csv' },
        body: `day,model,requests,amount_usd\n${last},m,1,0.1\n`,
      },
    ).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
  const refused = await reconcile(`${NEXT}-01`, `${NEXT}-01`);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('month_dropped')]);
  expect((await reconcile(`${NEXT}-02`, `${NEXT}-03`)).text).not.toContain('month_dropped');
});

test('a month is dropped once it was taken out, and read again by an audit that found it right', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD) });
  await books.closeBooks();
  expect(await completeAudit(books.environment.database)).toMatchObject({ differences: [] });
  expect(await drop()).toMatchObject({ status: 404, body: { error: { code: 'month_not_detached' } } });
  expect((await drop(undefined, owner, '2026-13')).status).toBe(400);
  await books.detach();
  const refused = { status: 409, body: { error: { code: 'month_not_audited' } } };
  expect(await drop()).toMatchObject(refused);
  await completeAudit(books.environment.database, { isFromStart: false });
  expect(await drop()).toMatchObject(refused);
  await completeAudit(books.environment.database);
  await addToHours(1);
  await completeAudit(books.environment.database);
  expect(await drop()).toMatchObject(refused);
  expect(
    await books.query(`SELECT count(*)::int AS rows FROM billing_archive.${partitionName(OLD)}`),
  ).toEqual([{ rows: 1 }]);
  await addToHours(-1);
  await completeAudit(books.environment.database);
  expect(await dropped()).toMatchObject({ status: 200, body: { state: 'dropped' } });
});

test('only owners drop months', async () => {
  for (const role of ['admin', 'member'] as const) {
    const { email } = await addPerson(books.environment, `${role}@billing.example`, role);
    expect((await drop(undefined, await signIn(billing.url, email))).status).toBe(403);
  }
});
