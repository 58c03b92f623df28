import {
  type BackgroundRequest,
  gatewayRedisKey,
  type UsageEvent,
  usageEventSchema,
} from '@tollgate/contracts';
import { createCreditScopes, type CreditScopes } from '@tollgate/limits';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { type CreditEnvironment, createCreditEnvironment } from '../../testing/credit.ts';
import { silent, startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { createCredit, type Credit } from '../credit/credit.ts';
import { createSweep } from '../credit/sweep.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import { BackgroundJobs, giveUpOld } from './background-jobs.ts';
import { restoreHolds } from './background-keeper.ts';
import { serveJobMetrics } from './job-metrics.ts';

let environment: TestEnvironment;
let scopes: CreditScopes;
let credit: Credit;
let jobs: BackgroundJobs;
let accounts: CreditEnvironment;
/** Pricing is away. */
let refusesEvents = false;
beforeAll(async () => {
  environment = await startTestEnvironment();
  accounts = createCreditEnvironment(environment);
  scopes = createCreditScopes(environment.redis);
  credit = createCredit(environment.database, scopes, (reason) => {
    throw reason;
  });
  jobs = new BackgroundJobs({
    database: environment.database,
    books: { post },
    credit,
    limits: { perKey: 2, perAccount: 3 },
  });
});
afterAll(() => environment.stop());
beforeEach(async () => {
  refusesEvents = false;
  await environment.redis.flushall();
  await environment.database.query('DELETE FROM billing.background_job');
});

/** As the books post, by one price list: an input token costs a micro-USD. */
async function post(job: unknown): Promise<void> {
  if (refusesEvents) throw new Error('pricing does not answer');
  const { events } = z.object({ events: z.array(usageEventSchema) }).parse(job);
  const postings = events.map((event) => {
    const result = computePosting(event, snapshotWith({ input: 1_000_000 }, '1'));
    if (!result.ok) throw new Error(result.reason);
    return result.value;
  });
  await postBatch(environment.database, postings, []);
  await credit.posted(events);
}

type Owner = Awaited<ReturnType<CreditEnvironment['openAccount']>>;

const request = ({ accountId, keyId }: Owner): BackgroundRequest => ({
  occurred_at: '2026-11-22T10:00:00.000Z',
  account_id: accountId,
  key_id: keyId,
  group: 'default',
  model: 'm',
  pool: 'main',
  upstream: 'east',
  upstream_model: 'm-upstream',
  stream: false,
  snapshot_version: 1,
  snapshot_hash: '0'.repeat(64),
  request_tokens: 3,
  bound: { input: 6, output: 0, text_only: true },
  free: ['background'],
});
const event = ({ accountId, keyId }: Owner, requestId: string, input = 4): UsageEvent =>
  usageEvent({ request_id: requestId, account_id: accountId, key_id: keyId, tokens: { input } });

const begin = ({ accountId, keyId, account }: Owner, requestId: string) =>
  jobs.begin({
    request_id: requestId,
    account_id: accountId,
    key_id: keyId,
    hold: { amount: 6, scopes: [account] },
  });
const start = (owner: Owner, requestId: string, responseId = `resp_${requestId}`) =>
  jobs.start({
    request_id: requestId,
    place: 'here',
    response_id: responseId,
    status: 'queued',
    request: request(owner),
  });
const makeDue = (requestId: string) =>
  environment.database.query(
    `UPDATE billing.background_job SET poll_at = now(), leased_until = '-infinity' WHERE request_id = $1`,
    [requestId],
  );
const find = ({ accountId: account_id }: Owner, responseId: string) =>
  jobs.find({ account_id, place: 'here', response_id: responseId, is_due: false });

/** A prepaid account of 8 micro-USD of which a job holds 6. */
async function startJob(requestId: string): Promise<Owner> {
  const owner = await accounts.openAccount();
  await accounts.grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await accounts.holdFor(requestId, owner, [owner.account], 6);
  await begin(owner, requestId);
  await start(owner, requestId);
  return owner;
}
const charged = async ({ accountId }: Owner): Promise<string[]> => {
  const rows: { cost: string }[] = await environment.database.query(
    'SELECT cost_pico::text AS cost FROM billing.usage WHERE account_id = $1',
    [accountId],
  );
  return rows.map(({ cost }) => cost);
};

test('a key, and an account, may have so many open at once; what has ended makes room', async () => {
  const owner = await accounts.openAccount();
  const other = { ...owner, keyId: '0198f1c2-7d1e-7000-8000-0000000000ff' };
  const begun = await Promise.all(
    ['req_limit_1', 'req_limit_2', 'req_limit_3'].map((id) => begin(owner, id)),
  );
  expect(begun.toSorted()).toEqual(['begun', 'begun', 'key full']);
  expect(await begin(other, 'req_limit_4')).toBe('begun');
  expect(await begin(other, 'req_limit_5')).toBe('account full');
  await jobs.drop('req_limit_4');
  expect(await begin(other, 'req_limit_6')).toBe('begun');
});

test('whoever leases a job has it alone until the lease ends, and then whoever asks first', async () => {
  await startJob('req_leased');
  await makeDue('req_leased');
  const leases = (await Promise.all([jobs.lease(10), jobs.lease(10), jobs.lease(10)])).flat();
  expect(leases).toEqual([
    expect.objectContaining({ request_id: 'req_leased', place: 'here', response_id: 'resp_req_leased' }),
  ]);
  await environment.database.query(
    `UPDATE billing.background_job SET leased_until = now() WHERE request_id = 'req_leased'`,
  );
  expect(await jobs.lease(10)).toHaveLength(1);
  await jobs.polled('req_leased', 'in_progress');
  expect(await jobs.lease(10)).toEqual([]);
});

test('an end that is told by many, and again later, is in the books once, and gives back what was held', async () => {
  const owner = await startJob('req_ended');
  const end = { request_id: 'req_ended', status: 'completed', events: [event(owner, 'req_ended')] };
  const ended = await Promise.all([jobs.end(end), jobs.end(end), jobs.end(end)]);
  expect([...ended, await jobs.end(end)].filter((isOurs) => isOurs)).toEqual([true]);
  expect(await charged(owner)).toEqual(['4000000']);
  expect(await accounts.fields(owner.account)).toEqual([4, 0]);
  expect(await find(owner, 'resp_req_ended')).toMatchObject({ is_ended: true });
});

test('a job that the books cannot take yet stays open, and holds', async () => {
  const owner = await startJob('req_later');
  refusesEvents = true;
  const end = { request_id: 'req_later', status: 'completed', events: [event(owner, 'req_later')] };
  await expect(jobs.end(end)).rejects.toThrow('pricing does not answer');
  expect(await find(owner, 'resp_req_later')).toMatchObject({ is_ended: false });
  expect(await accounts.fields(owner.account)).toEqual([8, 6]);
  refusesEvents = false;
  await jobs.end(end);
  expect(await charged(owner)).toEqual(['4000000']);
});

test('one that ended without having used anything costs nothing and holds nothing', async () => {
  const owner = await startJob('req_failed');
  await jobs.end({ request_id: 'req_failed', status: 'failed', events: [] });
  expect(await charged(owner)).toEqual([]);
  expect(await accounts.fields(owner.account)).toEqual([8, 0]);
});

test('only its account finds a job', async () => {
  const owner = await startJob('req_mine');
  const other = await accounts.openAccount();
  expect(await find(owner, 'resp_req_mine')).toMatchObject({ request_id: 'req_mine', model: 'm' });
  expect(await find(other, 'resp_req_mine')).toBeNull();
  await jobs.find({ account_id: owner.accountId, place: 'here', response_id: 'resp_req_mine', is_due: true });
  expect(await jobs.lease(10)).toHaveLength(1);
});

describe('when its gateway is gone', () => {
  const sweepLater = async () => {
    let clock = Date.now();
    const sweep = createSweep(
      { database: environment.database, scopes, credit, logger: silent },
      { now: () => clock, wallNow: () => clock },
    );
    await sweep();
    clock += 60_000;
    await sweep();
    // Longer than any request takes.
    clock += 25 * 3_600_000;
    await sweep();
  };
  const lost = (requestId: string): Promise<unknown[]> =>
    environment.database.query('SELECT FROM billing.reservation_lost WHERE request_id = $1', [requestId]);

  test('a job that runs keeps its hold, however long it runs', async () => {
    const owner = await startJob('req_orphan');
    await environment.redis.del(gatewayRedisKey('of req_orphan'));
    await sweepLater();
    expect(await accounts.fields(owner.account)).toEqual([8, 6]);
    expect(await lost('req_orphan')).toEqual([]);
  });

  test('one that never learnt its name at the upstream is given up, and costs nothing', async () => {
    const owner = await accounts.openAccount();
    await accounts.grant(owner.accountId, 8_000_000n);
    await credit.load([owner.account]);
    await accounts.holdFor('req_starting', owner, [owner.account], 6);
    await begin(owner, 'req_starting');
    await environment.redis.del(gatewayRedisKey('of req_starting'));
    await sweepLater();
    expect(await accounts.fields(owner.account)).toEqual([8, 0]);
    expect(await lost('req_starting')).toHaveLength(1);
    expect(await start(owner, 'req_starting')).toBe(false);
  });

  test('what ended without a charge while Redis was away is given back', async () => {
    const owner = await startJob('req_ended_away');
    await environment.database.query(
      `UPDATE billing.background_job SET state = 'ended', ended_at = now() WHERE request_id = 'req_ended_away'`,
    );
    await sweepLater();
    expect(await accounts.fields(owner.account)).toEqual([8, 0]);
    expect(await lost('req_ended_away')).toEqual([]);
  });
});

test('a Redis that lost everything is told again what jobs hold, and nothing twice', async () => {
  const owner = await startJob('req_restored');
  await environment.redis.flushall();
  expect(await restoreHolds(environment.database, environment.redis, credit)).toBe(1);
  expect(await restoreHolds(environment.database, environment.redis, credit)).toBe(0);
  expect(await accounts.fields(owner.account)).toEqual([8, 6]);
  await jobs.end({ request_id: 'req_restored', status: 'completed', events: [event(owner, 'req_restored')] });
  expect(await accounts.fields(owner.account)).toEqual([4, 0]);
});

test('one that holds nothing and never began is given up by its age', async () => {
  const owner = await accounts.openAccount();
  await begin(owner, 'req_old');
  expect(await giveUpOld(environment.database)).toBe(0);
  await environment.database.query(
    `UPDATE billing.background_job SET created_at = now() - interval '2 hours' WHERE request_id = 'req_old'`,
  );
  expect(await giveUpOld(environment.database)).toBe(1);
});

test('a start that is told twice counts, and none after it was given up', async () => {
  const owner = await startJob('req_twice');
  expect(await start(owner, 'req_twice')).toBe(true);
  expect(await start(owner, 'req_twice', 'resp_other')).toBe(false);
  await jobs.drop('req_twice');
  expect(await accounts.fields(owner.account)).toEqual([8, 0]);
  expect(await jobs.lease(10)).toEqual([]);
});

test('Prometheus is told how many are open, since when, how long one waits to be asked for, and what was lost', async () => {
  const registry = new Registry();
  serveJobMetrics(registry, environment.database);
  const read = async () =>
    Object.fromEntries(
      [...(await registry.metrics()).matchAll(/^tollgate_background_jobs_(\S+) (\S+)$/gm)].map(
        ([, name = '', value]) => [name, Number(value)],
      ),
    );
  expect(await read()).toEqual({
    'open{state="starting"}': 0,
    'open{state="running"}': 0,
    oldest_seconds: 0,
    overdue_seconds: 0,
    lost: 0,
  });
  const owner = await startJob('req_counted');
  await begin(owner, 'req_counted_starting');
  await environment.database.query(
    `UPDATE billing.background_job SET created_at = now() - interval '26 hours', poll_at = now() - interval '10 minutes',
       leased_until = now() + interval '20 seconds' WHERE request_id = 'req_counted'`,
  );
  const counts = await read();
  expect(counts).toMatchObject({ 'open{state="starting"}': 1, 'open{state="running"}': 1, lost: 0 });
  expect(counts['oldest_seconds']).toBeCloseTo(26 * 3_600, -2);
  expect(counts['overdue_seconds']).toBeCloseTo(600, -2);
  await jobs.end({ request_id: 'req_counted', status: 'expired', events: [] });
  expect(await read()).toMatchObject({ lost: 1, overdue_seconds: 0, 'open{state="running"}': 0 });
});
