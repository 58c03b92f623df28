import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crashPostgres } from '@tollgate/chaos/crash-postgres';
import {
  archiveCommand,
  createDatabase,
  freePort,
  restoreBaseBackup,
  type RunningPostgres,
  type RunningRedis,
  type RunningStack,
  startPostgres,
  startRedis,
  takeBaseBackup,
  waitFor,
} from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { ask, askMany, type Customer, FLAT, openAccount, publishModels, tally } from '../credit/customers.ts';
import { openBilledClient, type BilledClient } from '../faults/billed-client.ts';
import { admin, type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { readPicture, readSequences } from './picture.ts';

// PostgreSQL and Redis are lost here: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-backup-'));
const [directory, archive, backup] = ['postgres', 'archive', 'backup'].map((name) => join(home, name)) as [
  string,
  string,
  string,
];
const redisHome = join(home, 'redis');
const settings = { archive_mode: 'on', archive_command: archiveCommand(archive), wal_level: 'replica' };

let server: { directory: string; password: string; port: number; settings: typeof settings };
let postgres: RunningPostgres;
let redis: RunningRedis;
let stack: RunningStack;
let at: Pick<TestStack, 'baseUrl' | 'cookie' | 'databaseUrl' | 'gatewayUrls'>;

beforeAll(async () => {
  mkdirSync(archive);
  server = { directory, password: 'test', port: await freePort(), settings };
  postgres = await startPostgres(server);
  redis = await startRedis({ directory: redisHome });
  stack = await startTestStack({
    home,
    port: await freePort(),
    databaseUrl: await createDatabase(postgres.url, 'tollgate'),
    redisUrl: redis.url,
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  await publishModels(at, { group: 'credit' });
}, 120_000);

afterAll(async () => {
  await stack?.stop();
  await redis?.stop();
  await postgres?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

const service = (name: string) => {
  const found = stack.services.get(name)?.process;
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};
const billing = () => service('billing');

const billingIsReady = async () =>
  (await fetch(`${stack.services.get('billing')?.url}/readyz`).catch(() => undefined))?.ok;

async function withBooks<T>(act: (books: Books) => Promise<T>): Promise<T> {
  const books = openBooks(at.databaseUrl);
  try {
    return await act(books);
  } finally {
    await books.close();
  }
}

/** A new account whose first month was the last one, which is closed. */
async function closeLastMonth(name: string): Promise<void> {
  const { id } = await admin(at, 'POST', '/api/accounts', { name });
  const { month } = await withBooks((books) =>
    books.one(
      `UPDATE billing.account SET created_at = date_trunc('month', now() AT TIME ZONE 'UTC') - interval '10 days'
       WHERE id = $1 RETURNING to_char(created_at, 'YYYY-MM') AS month`,
      [id],
    ),
  );
  await admin(at, 'POST', '/api/periods/close', { account_id: id, month, reason: 'The end of the month' });
}

async function verifyChain() {
  const { id } = await admin(at, 'POST', '/api/periods/verify', { all: true, from_start: true });
  return waitFor(async () => {
    const { ended_at, verified, items } = await admin(at, 'GET', `/api/verifications/${id}`);
    return ended_at !== null && { verified, items };
  }, 'the closed months to be verified');
}

async function askTimes(client: BilledClient, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) expect((await client.ask()).status).toBe(200);
}

/** The log so far is in the archive, as it is `archive_timeout` later at the latest. */
async function archiveLog(): Promise<void> {
  const { wal = '' } = await withBooks((books) =>
    books.one('SELECT pg_walfile_name(pg_switch_wal() - 1) AS wal'),
  );
  await waitFor(() => existsSync(join(archive, wal)), 'the archived log', 20_000);
}

async function loseEverything(): Promise<void> {
  await crashPostgres(directory);
  rmSync(directory, { recursive: true });
  await redis.kill();
  rmSync(join(redisHome, 'appendonlydir'), { recursive: true, force: true });
}

/** What was left of the credit is what is left: six of the ten cents, and no more. */
async function expectCreditLeft({ key }: Customer): Promise<void> {
  await waitFor(async () => (await ask(at.baseUrl, key, { model: FLAT })).status === 200, 'credit', 20_000);
  expect(tally(await askMany(at, key, 15, { model: FLAT }))).toEqual({
    200: 5,
    '429 insufficient_quota': 10,
  });
}

test('PostgreSQL and Redis are lost; a backup, the archived log and the spools bring every booking back', async () => {
  const client = await openBilledClient(at);
  const customer = await openAccount(at, { mode: 'prepaid', grant: '0.10' });
  await closeLastMonth('Closed before the backup');

  let backedUp = false;
  const load = (async () => {
    while (!backedUp) await askTimes(client, 1);
  })();
  await takeBaseBackup({ url: at.databaseUrl, directory, to: backup }).finally(() => (backedUp = true));
  await load;

  await closeLastMonth('Closed after the backup');
  await askTimes(client, 10);
  expect(tally(await askMany(at, customer.key, 4, { model: FLAT }))).toEqual({ 200: 4 });
  await client.settled();
  const chain = await verifyChain();
  await billing().stop();
  await archiveLog();
  const picture = await readPicture(at.databaseUrl);
  const sequences = await readSequences(at.databaseUrl);
  // These are not in the books yet: they are in the gateway's spool.
  await askTimes(client, 5);
  // Once it has a database again it publishes above all numbers that may be lost.
  await service('pricing').stop();

  await loseEverything();
  await restoreBaseBackup({ from: backup, directory, archive });
  await redis.restart();
  postgres = await startPostgres(server);
  const recovered = () =>
    withBooks(
      async (books) => (await books.one('SELECT pg_is_in_recovery()::text AS busy'))['busy'] === 'false',
    );
  await waitFor(recovered, 'the end of the recovery', 20_000);
  expect(await readPicture(at.databaseUrl)).toEqual(picture);
  const now = await readSequences(at.databaseUrl);
  expect([...sequences].filter(([name, last]) => (now.get(name) ?? 0n) < last)).toEqual([]);

  service('pricing').start();
  billing().start();
  await waitFor(billingIsReady, 'billing', 30_000);
  await client.settled();
  expect(await verifyChain()).toEqual(chain);
  expect(chain).toMatchObject({ verified: true });
  await expectCreditLeft(customer);
  await askTimes(client, 3);
  await client.settled();
}, 120_000);

const setPrice = async (microUsd: number): Promise<number> => {
  const model = {
    vendor: 'openai',
    prices: { input: 0, output: 0 },
    request_price: microUsd,
    max_output_tokens: 1_000,
  };
  return (await admin(at, 'PUT', `/api/catalogue/models/${FLAT}`, model)).version;
};

const untilServed = (version: number) =>
  waitFor(
    async () => {
      const { gateways } = await admin(at, 'GET', '/api/system');
      return gateways.state?.every(({ snapshot_version: served }) => served === version);
    },
    `version ${version} at the gateway`,
    30_000,
  );

/** Pricing finds its tables as they were before a version, and Redis empty. */
async function putBackBefore(version: number): Promise<void> {
  const pricing = stack.services.get('pricing');
  await pricing?.process.stop();
  await withBooks(async (books) => {
    await books.one('ALTER TABLE pricing.snapshot DISABLE TRIGGER USER');
    await books.one('DELETE FROM pricing.snapshot WHERE version >= $1', [version]);
    await books.one('ALTER TABLE pricing.snapshot ENABLE TRIGGER USER');
  });
  await redis.kill();
  rmSync(join(redisHome, 'appendonlydir'), { recursive: true, force: true });
  await redis.restart();
  pricing?.process.start();
  await waitFor(
    async () => (await fetch(`${pricing?.url}/readyz`).catch(() => undefined))?.ok,
    'pricing',
    30_000,
  );
}

const costsOf = ({ keyId }: Customer) =>
  withBooks(async (books) =>
    (await books.all('SELECT * FROM billing.usage WHERE key_id = $1', [keyId])).map(
      ({ cost_pico }) => cost_pico,
    ),
  );

test('usage of a version that PostgreSQL and Redis lost waits for its own list, and is priced by no other', async () => {
  const customer = await openAccount(at, { mode: 'postpaid' });
  const lost = await setPrice(20_000);
  await untilServed(lost);
  await billing().stop();
  expect(tally(await askMany(at, customer.key, 2))).toEqual({ 200: 2 });

  await putBackBefore(lost);
  billing().start();
  await waitFor(billingIsReady, 'billing', 30_000);
  expect(await setPrice(30_000)).toBeGreaterThan(lost);
  const waiting = await waitFor(
    async () => {
      const { items } = await admin(at, 'GET', '/api/usage/rejected?state=waiting');
      return items.length === 2 && items;
    },
    'the usage that waits',
    60_000,
  );
  for (const { reason } of waiting)
    expect(reason).toMatch(`pricing does not know version ${lost} with the hash`);
  expect(await costsOf(customer)).toEqual([]);

  await setPrice(20_000);
  for (const { id } of waiting) {
    const url = `${at.baseUrl}/api/usage/rejected/${id}/retry`;
    const { status, text } = await call(url, { method: 'POST', headers: { cookie: at.cookie } });
    // Billing tries again by itself as well, and may have been first.
    expect(status === 404 ? text : status).toEqual(
      status === 404 ? expect.stringContaining('in the books') : 200,
    );
  }
  expect(await costsOf(customer)).toEqual(['20000000000', '20000000000']);
}, 120_000);
