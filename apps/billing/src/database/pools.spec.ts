import { keyRecordSchema, MESSAGE } from '@tollgate/contracts';
import { waitFor, TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient, type RequestReplyClient } from '@tollgate/platform';
import type { QueryRunner } from 'typeorm';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import type { ApiKeyEntity } from '../keys/api-key.entity.ts';

let environment: TestEnvironment;
let billing: RunningBilling;
let gateway: RequestReplyClient;
let holder: QueryRunner;
const cookies = { member: '', other: '', finance: '' };
const accounts = { member: '', other: '', finance: '' };
let key: ApiKeyEntity;

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  gateway = createRequestReplyClient(
    `tcp://127.0.0.1:${billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  for (const name of ['member', 'other', 'finance'] as const) {
    const email = `${name}@billing.example`;
    const { account_id } = await addPerson(environment, email, name === 'finance' ? 'finance' : 'member');
    accounts[name] = account_id;
    cookies[name] = await signIn(billing.url, email);
  }
  key = await addKey(environment.database, { accountId: accounts.other });
});
beforeEach(async () => {
  holder = environment.database.createQueryRunner();
  await holder.startTransaction();
});
afterEach(async () => {
  if (holder.isTransactionActive) await holder.rollbackTransaction();
  await holder.release();
});
afterAll(async () => {
  gateway.close();
  await billing.stop();
  await environment.stop();
});

const as = (who: keyof typeof cookies) => ({ url: billing.url, cookie: cookies[who] });
const MONTH = new Date().toISOString().slice(0, 7);

/**
 * What others want meanwhile, at once: whoever waits for what is held up gives up after twenty seconds. That it is answered at
 * all is the proof: what holds the rest up stays until it is.
 */
async function othersAreServed(reads: readonly string[]): Promise<void> {
  const lookUp = () =>
    gateway.request(MESSAGE.keyLookup, { key_hash: key.keyHash }, keyRecordSchema.nullable(), 10_000);
  const [found, ready, ...statuses] = await Promise.all([
    lookUp(),
    fetch(`${billing.url}/readyz`),
    ...reads.map(async (path) => [path, (await call(as('other'), 'GET', path)).status]),
  ]);
  expect(found).not.toBeNull();
  expect(ready.status).toBe(200);
  expect(statuses).toEqual(reads.map((path) => [path, 200]));
}

test("30 slow statements of a member hold up nobody's keys, readiness, payments or reports", async () => {
  await holder.query('LOCK TABLE billing.period_seal IN ACCESS EXCLUSIVE MODE');
  const statuses: number[] = [];
  const asked = Array.from({ length: 30 }, async () => {
    const { status, body } = await call(as('member'), 'GET', `/api/statements/${MONTH}`);
    statuses.push(status);
    return { status, body };
  });
  await waitFor(() => statuses.length === 15, 'the refusals');
  await othersAreServed(['/api/keys', '/api/usage', '/api/usage/summary', '/api/ledger/transactions']);
  const payment = { account_id: environment.first.accountId, amount_usd: '1', reason: 'a test' };
  expect((await enter(as('finance'), '/api/ledger/payments', payment)).status).toBe(201);
  expect(statuses).toEqual(Array.from({ length: 15 }, () => 429));
  await holder.rollbackTransaction();
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
  expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
    error: { message: expect.stringContaining('3 reports of yours are under way and 12 wait') as string },
  });
});

test('while somebody holds the journal, what does not append is served, and payments are made afterwards', async () => {
  await holder.query('SELECT FROM billing.journal FOR UPDATE');
  const payments = Array.from({ length: 14 }, () =>
    enter(as('finance'), '/api/ledger/payments', {
      account_id: environment.first.accountId,
      amount_usd: '1',
      reason: 'a test',
    }),
  );
  await waitFor(async () => {
    const [row] = (await environment.database.query(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )) as { waiting: number }[];
    return (row?.waiting ?? 0) >= 3;
  }, 'payments that wait');
  await othersAreServed(['/api/keys', '/api/usage', `/api/statements/${MONTH}`, '/api/statements']);
  expect((await call(as('other'), 'PATCH', `/api/keys/${key.id}`, { name: 'another' })).status).toBe(200);
  await holder.rollbackTransaction();
  expect((await Promise.all(payments)).map(({ status }) => status)).toEqual(payments.map(() => 201));
});

test('who waits too long for a lock is told to try again, not that something failed', async () => {
  await holder.query(`LOCK TABLE billing.former_secret IN ACCESS EXCLUSIVE MODE`);
  const answer = await fetch(`${billing.url}/api/keys`, { headers: { cookie: cookies.other } });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await answer.json()).toMatchObject({
    error: { message: expect.stringContaining('too busy to do this in time') as string },
  });
});
