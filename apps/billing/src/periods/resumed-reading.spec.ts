// A process is stopped within what it seals, verifies or audits, by a lock that a trigger wants, and killed there.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { beginTestAudit } from '../../testing/complete-audit.ts';
import { addPerson } from '../../testing/people.ts';
import type { Reading } from '../../testing/reading-replica.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { startAuditWork } from '../ledger/audit-work.ts';
import { findAudit } from '../ledger/audit-runs.ts';
import { runCompleteAudit } from '../ledger/complete-audit.ts';
import { OPERATOR } from '../ledger/ledger-accounts.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import { closePeriod } from './close-period.ts';
import { startPeriodWork } from './period-work.ts';
import { runVerification } from './run-verification.ts';
import { listUnsealed, sealPeriods, StillSealing } from './seal-periods.ts';
import { beginVerification, findVerification } from './verifications.ts';
import { verifyChain } from './verify-chain.ts';

const DAYS = ['03', '11', '19', '27'];
const EVERY = 1;
const snapshot = snapshotWith({ input: 7, output: 11 }, '1');

let environment: TestEnvironment;
/** In the order in which they are verified. */
let accounts: string[];

beforeEach(async () => {
  environment = await startTestEnvironment();
  for (const name of ['b', 'c']) await addPerson(environment, `${name}@billing.example`, 'member');
  await environment.database.query(`UPDATE billing.account SET created_at = '2025-09-01T00:00:00Z'`);
  const rows: { id: string }[] = await environment.database.query(
    'SELECT id FROM billing.account ORDER BY id',
  );
  accounts = rows.map(({ id }) => id);
  for (const account_id of accounts)
    await postBatch(
      environment.database,
      DAYS.flatMap((day) => {
        const event = usageEvent({ account_id, occurred_at: `2025-09-${day}T12:00:00.000Z` });
        const result = computePosting(event, snapshot);
        return result.ok ? [result.value] : [];
      }),
      [],
    );
});
afterEach(() => environment.stop());

const by = { actor: 'a@b.example', reason: 'month-end' };
const close = (account: string, signal?: AbortSignal) =>
  closePeriod(environment.database, account, '2025-09', by, signal);

/** As a superuser can who switches the triggers off. */
const tamper = (statement: string) =>
  environment.database.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query(statement);
  });
/** Adds to the input tokens of an account's request of a day. */
const addTokens = (account: string | undefined, day: string | undefined, tokens: number) =>
  tamper(`UPDATE billing.usage SET tokens_input = tokens_input + ${tokens}
    WHERE account_id = '${account}' AND booked_at = '2025-09-${day}T12:00:00Z'`);

/** Kills a process that reads, where what it keeps in a table has come to a number that it read. */
async function killAt(table: string, checked: number, reading: Omit<Reading, 'databaseUrl' | 'every'>) {
  const { database } = environment;
  const holder = database.createQueryRunner();
  await holder.query('SELECT pg_advisory_lock(42)');
  await database.query(`
    CREATE FUNCTION billing.stop_here() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
    CREATE TRIGGER stop_here BEFORE UPDATE ON billing.${table} FOR EACH ROW
      WHEN (NEW.checked >= ${checked}) EXECUTE FUNCTION billing.stop_here()`);
  const replica = fork(join(import.meta.dirname, '../../testing/reading-replica.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  replica.send({ ...reading, databaseUrl: environment.databaseUrl, every: EVERY } satisfies Reading);
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  await waitFor(async () => {
    const found: unknown[] = await database.query(waiting);
    return found.length > 0;
  }, 'the process in the middle');
  const ended = once(replica, 'exit');
  replica.kill('SIGKILL');
  await ended;
  await holder.query('SELECT pg_advisory_unlock(42)');
  await holder.release();
  await waitFor(async () => {
    const found: unknown[] = await database.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (
         SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return found.length === 0;
  }, 'PostgreSQL to miss the process');
  await database.query(`DROP TRIGGER stop_here ON billing.${table}; DROP FUNCTION billing.stop_here()`);
}

const begin = (isFromStart: boolean, accountId?: string) =>
  beginVerification(environment.database, { accountId, isFromStart, startedBy: by.actor });

async function verify(isFromStart: boolean, accountId?: string) {
  const id = await begin(isFromStart, accountId);
  expect(await runVerification(environment.database, id)).toBe(true);
  return findVerification(environment.database.manager, id);
}

test('a verification that is killed in the middle goes on, and tells what is wrong before it and behind it', async () => {
  for (const account of accounts) await close(account);
  const [first, second, third] = accounts;
  await addTokens(first, DAYS[0], 1);
  await addTokens(second, DAYS[0], 1);
  await addTokens(third, DAYS[3], 1);
  const id = await begin(true);
  // The first account has four numbers; of the second one two of four parts are added up, and its digest.
  await killAt('verification', 7, { verification: id });
  const found = await findVerification(environment.database.manager, id);
  expect(found).toMatchObject({ ended_at: null, verified: null, checked: 7, total: 12 });
  expect(found?.items).toMatchObject([{ account_id: first, first_difference: { what: 'totals.usage' } }]);

  // What was read is not read again: it is told as it was then.
  await addTokens(first, DAYS[0], -1);
  await addTokens(second, DAYS[0], -1);
  expect(await runVerification(environment.database, id, { every: EVERY })).toBe(true);
  const wrong = (tokens: number) => ({
    month: '2025-09',
    what: 'totals.usage',
    stored: [{ tokens: { input: 12 } }],
    computed: [{ tokens: { input: 12 + tokens } }],
  });
  expect(await findVerification(environment.database.manager, id)).toMatchObject({
    ended_at: expect.stringMatching(/Z$/),
    verified: false,
    checked: 12,
    items: accounts.map((account_id) => ({ account_id, first_difference: wrong(1) })),
  });
});

test('a verification leaves out what was found right before, unless it is to begin at the start', async () => {
  for (const account of accounts.slice(0, 2)) await close(account);
  const [first, second, third] = accounts;
  expect(await verify(false)).toMatchObject({ verified: true, checked: 8, total: 8 });
  await close(third ?? '');
  expect(await verify(false)).toMatchObject({
    verified: true,
    checked: 4,
    total: 4,
    items: [{ known: 1 }, { known: 1 }, { known: 0, periods: 1 }],
  });

  await addTokens(second, DAYS[2], 1);
  expect(await verify(false)).toMatchObject({ verified: true, total: 0 });
  expect(await verify(true, first)).toMatchObject({
    verified: true,
    total: 4,
    items: [{ account_id: first }],
  });
  const wrong = {
    verified: false,
    items: [{ first_difference: null }, { first_difference: { what: 'totals.usage' } }, {}],
  };
  expect(await verify(true)).toMatchObject({ ...wrong, total: 12 });
  // It is in doubt from now on.
  expect(await verify(false)).toMatchObject({ ...wrong, total: 4 });
  await addTokens(second, DAYS[2], -1);
  expect(await verify(false)).toMatchObject({ verified: true, total: 4 });
});

test('chains of hashes are checked of months that are known to be right as well', async () => {
  await close(accounts[0] ?? '');
  expect(await verify(false)).toMatchObject({ verified: true });
  await tamper(`UPDATE billing.period SET closed_by = 'somebody@else.example'`);
  expect(await verify(false)).toMatchObject({
    verified: false,
    items: [{ first_difference: { what: 'hash' } }, {}, {}],
  });
});

test('a month that has another hash than when it was found right is read again', async () => {
  const [account = ''] = accounts;
  await close(account);
  expect(await verify(false)).toMatchObject({ verified: true, checked: 4 });
  await addTokens(account, DAYS[0], 1);
  await tamper('DELETE FROM billing.period_seal');
  await sealPeriods(environment.database, account);
  expect(await verify(false)).toMatchObject({ verified: true, checked: 4, items: [{ known: 0 }, {}, {}] });
});

test('who asks for a verification that runs is told of that one', async () => {
  const id = await begin(true);
  expect(await Promise.all([begin(true), begin(true)])).toEqual([id, id]);
  expect(await begin(false)).not.toBe(id);
});

test('an audit of the ledger that is killed in its journal and in its sums goes on, and counts each slice once', async () => {
  const { database } = environment;
  const [first, second, third] = accounts;
  const add = (cost: number, number: number) =>
    tamper(`UPDATE billing.usage SET cost_pico = cost_pico + ${cost} WHERE number = ${number}`);
  const addHours = (cost: number, account: string | undefined) =>
    tamper(`UPDATE billing.account_hour SET cost_pico = cost_pico + ${cost} WHERE account_id = '${account}'`);
  await add(1, 2);
  await add(1, 11);
  await addHours(1, first);
  await addHours(1, third);
  const id = await beginTestAudit(database);
  await killAt('verification', 6, { audit: id });
  const begun = await findAudit(database, id);
  expect(begun).toMatchObject({ checked: '6', total: '24', place: { step: 'journal', number: 6 } });
  expect(begun?.report).toMatchObject({ transactions: 6, found: 2 });
  // What was read is not read again: it is told as it was then.
  await add(-1, 2);
  await killAt('verification', 12 + 5, { audit: id });
  expect(await findAudit(database, id)).toMatchObject({
    checked: '20',
    place: { step: 'sums', from: '2025-09-01', after: second },
  });
  await add(-1, 11);
  await addHours(-1, first);

  // One of the release before goes on, which does not write down which months follow.
  await database.query(`UPDATE billing.verification SET place = place - 'months' WHERE id = $1`, [id]);
  const onReplica = <T>(read: (reader: typeof database) => Promise<T>) => read(database);
  const found = await runCompleteAudit(database, id, { onReplica, slice: EVERY });
  expect(found).toMatchObject({ transactions: 12, entries: 24, imbalance: '0', found: 7 });
  expect(found?.differences.map(({ check, number, account_id }) => [check, number ?? account_id])).toEqual([
    ['usage_differs_from_entries', 2],
    ['digest_differs_from_rows', 2],
    ['usage_differs_from_entries', 11],
    ['digest_differs_from_rows', 11],
    ['account_hour_differs_from_usage_hour', first],
    // Of number 11, which was not put right yet.
    ['served_hour_differs_from_usage', OPERATOR],
    ['account_hour_differs_from_usage_hour', third],
  ]);
  expect(await findAudit(database, id)).toMatchObject({ checked: '24', total: '24', place: null });
  expect(await runCompleteAudit(database, id, { onReplica })).toBeUndefined();
});

test('sealing that is killed in the middle goes on, and comes to what it would have come to at once', async () => {
  const [account = ''] = accounts;
  const { database } = environment;
  await expect(close(account, AbortSignal.abort())).rejects.toThrow(StillSealing);
  await database.query('UPDATE billing.period_sealing SET checked = 0, place = NULL');
  await killAt('period_sealing', 3, { sealing: account });
  expect(await listUnsealed(database)).toEqual([
    { account_id: account, month: '2025-09', checked: 3, total: 4 },
  ]);

  // What was read is not read again.
  await addTokens(account, DAYS[0], 1);
  const [sealed] = await sealPeriods(database, account, { every: EVERY });
  await addTokens(account, DAYS[0], -1);
  expect(await listUnsealed(database)).toEqual([]);
  expect((await verifyChain(database, account)).first_difference).toBeNull();
  await tamper('DELETE FROM billing.period_seal');
  expect(await sealPeriods(database, account)).toEqual([sealed]);
});

test('sealing that is stopped wherever it can be comes to the same', async () => {
  const { database } = environment;
  const [account = ''] = accounts;
  const sealed = await close(account);
  await tamper('DELETE FROM billing.period_seal');
  const seal = () =>
    sealPeriods(database, account, { every: EVERY, signal: AbortSignal.abort() }).catch((error: unknown) => {
      if (error instanceof StillSealing) return null;
      throw error;
    });
  let stops = 0;
  let found = await seal();
  for (; found === null; stops += 1) found = await seal();
  expect(found).toEqual([sealed]);
  // Behind each transaction but the last, behind the digest, and behind each part.
  expect(stops).toBe(DAYS.length - 1 + 1 + DAYS.length);
});

test('what somebody left is taken up by any billing', async () => {
  const { database } = environment;
  await expect(close(accounts[1] ?? '', AbortSignal.abort())).rejects.toThrow(StillSealing);
  const id = await begin(true);
  const audit = await beginTestAudit(database);
  const work = startPeriodWork({ database, logger: silent });
  const audits = startAuditWork(database, undefined, silent);
  await waitFor(
    async () => (await findVerification(database.manager, id))?.verified ?? undefined,
    'the verification to end',
  );
  expect(await listUnsealed(database)).toEqual([]);
  expect(await findVerification(database.manager, id)).toMatchObject({
    verified: true,
    items: [{ periods: 0 }, { periods: 1 }, { periods: 0 }],
  });
  await waitFor(async () => (await findAudit(database, audit))?.ended_at ?? undefined, 'the audit to end');
  await Promise.all([work.stop(), audits.stop()]);
});
