// A replica that streams from its primary, whose replay is stopped and let go on: exports and full audits wait for their
// watermark there, and are read from the primary where it does not come.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  restoreBaseBackup,
  type RunningPostgres,
  type RunningRedis,
  startPostgres,
  startRedis,
  takeBaseBackup,
  waitFor,
} from '@tollgate/harness';
import type { DataSource } from 'typeorm';
import { enter } from '../../testing/bookkeeping.ts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type At, askExport, ended, readManifest } from '../../testing/exports.ts';
import { call, signIn } from '../../testing/people.ts';
import { fillSyntheticLedger, syntheticSpan } from '../../testing/synthetic-ledger.ts';
import { PASSWORD, silent } from '../../testing/test-environment.ts';
import { seedFirstAccount } from '../accounts/first-account.ts';
import { completeAudit } from '../../testing/complete-audit.ts';
import { createReplicaReading } from '../ledger/audit-on-replica.ts';
import { createDataSource } from './data-source.ts';
import { migrate } from './migrate.ts';
import { waitForReplica } from './replica.ts';

const ROWS = 2_000;
const span = syntheticSpan(ROWS);
const home = mkdtempSync(join(tmpdir(), 'tollgate-replica-'));
const servers: RunningPostgres[] = [];
let redisServer: RunningRedis;
let primary: DataSource;
let replica: DataSource;
let billing: RunningBilling;
let owner: At;
let replicaUrl: string;
let accountId: string;

beforeAll(async () => {
  const start = async (name: string, settings: Readonly<Record<string, string>> = {}) => {
    const server = await startPostgres({
      directory: join(home, name),
      password: 'test',
      durable: false,
      settings,
    });
    servers.push(server);
    return server;
  };
  const server = await start('primary');
  const url = await createDatabase(server.url, 'books');
  await migrate(url);
  primary = await createDataSource(url).initialize();
  ({ accountId } = await seedFirstAccount(primary, {
    accountName: 'First',
    email: 'owner@billing.example',
    password: PASSWORD,
  }));
  await fillSyntheticLedger(primary, ROWS);
  const backup = join(home, 'backup');
  await takeBaseBackup({ url: server.url, directory: join(home, 'primary'), to: backup });
  await restoreBaseBackup({ from: backup, directory: join(home, 'replica') });
  writeFileSync(join(home, 'replica', 'standby.signal'), '');
  const follower = await start('replica', {
    primary_conninfo: `host=127.0.0.1 port=${server.port} user=postgres password=test`,
  });
  const address = new URL(url);
  address.port = String(follower.port);
  replicaUrl = address.href;
  replica = await createDataSource(replicaUrl).initialize();
  redisServer = await startRedis();
  billing = await startBillingOn(
    { serviceDatabaseUrl: () => url, redisServer },
    { DATABASE_READ_URL: replicaUrl, EXPORT_DIR: join(home, 'exports') },
  );
  owner = { url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') };
}, 120_000);
afterAll(async () => {
  await billing?.stop();
  await redisServer?.stop();
  await Promise.all([primary, replica].map((each) => each?.destroy()));
  for (const server of servers.reverse()) await server.stop();
  rmSync(home, { recursive: true, force: true });
});

const pause = () => replica.query('SELECT pg_wal_replay_pause()');
const goOn = () => replica.query('SELECT pg_wal_replay_resume()');
const readers = async (): Promise<number> => {
  const [row]: { count: number }[] = await replica.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'tollgate-billing-exports'`,
  );
  return row?.count ?? 0;
};

test('an export waits until the replica has it, and has the bytes that it has from the primary', async () => {
  await pause();
  const waiting = await askExport(owner, { kind: 'usage', format: 'csv', ...span });
  await waitFor(async () => (await readers()) === 1, 'its reader at the replica', 30_000, 20);
  expect((await call(owner, 'GET', `/api/exports/${waiting.id}`)).body).toMatchObject({ status: 'running' });
  await goOn();
  expect(await ended(owner, waiting.id)).toMatchObject({ status: 'done', rows: { done: ROWS, of: ROWS } });

  await pause();
  const behind = await askExport(owner, { kind: 'usage', format: 'csv', ...span });
  expect(await ended(owner, behind.id)).toMatchObject({ status: 'done', rows: { done: ROWS, of: ROWS } });
  await expect(waitForReplica(replica, ROWS, { exportId: behind.id }, 0)).rejects.toThrow(
    `up to ${ROWS}, and ${ROWS} is wanted`,
  );
  expect(await readManifest(owner, behind.id)).toEqual(await readManifest(owner, waiting.id));
  await goOn();
}, 120_000);

test('a full audit is read from the replica, and from the primary where the replica is behind or breaks off', async () => {
  const onReplica = createReplicaReading(primary, replicaUrl, silent);
  const isReplica = (fail = false) =>
    onReplica((database) =>
      database.transaction(async (manager) => {
        const [row]: { found: boolean }[] = await manager.query('SELECT pg_is_in_recovery() AS found');
        if (row?.found && fail) throw new Error('canceling statement due to conflict with recovery');
        return row?.found;
      }),
    );
  expect(await isReplica()).toBe(true);
  expect(await isReplica(true)).toBe(false);
  expect(await completeAudit(primary, { onReplica })).toMatchObject({ to: ROWS });
  await pause();
  const grant = { account_id: accountId, amount_usd: '1.00', reason: 'for the test' };
  expect((await enter(owner, '/api/ledger/grants', grant)).status).toBe(201);
  expect(await isReplica()).toBe(false);
  await goOn();
  expect(await isReplica()).toBe(true);
  expect(await completeAudit(primary, { onReplica })).toMatchObject({ to: ROWS + 1 });
}, 120_000);

test('a watermark that is not there yet is named with how far the replica is', async () => {
  await expect(waitForReplica(replica, ROWS + 2, undefined, 0)).rejects.toThrow(
    `the replica has the journal up to ${ROWS + 1}, and ${ROWS + 2} is wanted`,
  );
}, 60_000);
