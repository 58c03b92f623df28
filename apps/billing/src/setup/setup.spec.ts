import { createTestDatabase, type RunningRedis, startRedis } from '@tollgate/harness';
import { startBillingOn, type RunningBilling } from '../../testing/billing-service.ts';
import { migrateAlone, PASSWORD } from '../../testing/test-environment.ts';
import { readCookie, logIn } from '../../testing/people.ts';
import { createDataSource } from '../database/data-source.ts';
import { offerSetup } from './setup-tokens.ts';

const SET_TOKEN = 'a token of the operator';
const OWNER = { account_name: 'Acme', name: 'Ada', email: 'ada@billing.example', password: PASSWORD };

let redisServer: RunningRedis;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  redisServer = await startRedis();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => redisServer.stop());

/** A deployment that nobody owns. */
async function newDeployment(env: Record<string, string> = {}) {
  const { url: databaseUrl, serviceUrl, drop } = await createTestDatabase(migrateAlone);
  ends.push(drop);
  const database = await createDataSource(databaseUrl).initialize();
  ends.push(() => database.destroy());
  const billing = await startBillingOn(
    { serviceDatabaseUrl: serviceUrl, redisServer },
    { TRUSTED_PROXIES: '127.0.0.1', ...env },
  );
  ends.push(() => billing.stop());
  return { database, billing };
}

let clients = 0;
const setUp = ({ url }: RunningBilling, body: object, address = `198.51.100.${(clients += 1)}`) =>
  fetch(`${url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  });
const isNeeded = async ({ url }: RunningBilling) => (await fetch(`${url}/api/setup`)).json();

/** What a start of billing writes to its log. */
async function tokenOf(database: Parameters<typeof offerSetup>[0]): Promise<string | undefined> {
  const lines: unknown[] = [];
  await offerSetup(database, { warn: (fields: unknown) => void lines.push(fields) }, undefined);
  return (lines[0] as { setup_token?: string } | undefined)?.setup_token;
}

test('the first owner makes himself with the token of the log, is signed in, and it is done once', async () => {
  const { database, billing } = await newDeployment();
  expect(await isNeeded(billing)).toEqual({ needed: true });
  const [token = '', second = ''] = [await tokenOf(database), await tokenOf(database)];
  const answer = await setUp(billing, { ...OWNER, token });
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject({ email: OWNER.email, role: 'owner' });
  const me = await fetch(`${billing.url}/api/auth/profile`, { headers: { cookie: readCookie(answer) } });
  expect(await me.json()).toMatchObject({ name: 'Ada', account_name: 'Acme' });
  expect((await logIn(billing.url, OWNER.email)).status).toBe(200);
  expect(await isNeeded(billing)).toEqual({ needed: false });
  expect((await setUp(billing, { ...OWNER, email: 'eve@billing.example', token: second })).status).toBe(409);
  expect(await database.query('SELECT * FROM billing.setup_token')).toEqual([]);
  expect(await tokenOf(database)).toBeUndefined();
});

test('without the token nobody takes the deployment', async () => {
  const { database, billing } = await newDeployment();
  const stored = (await database.query('SELECT token_hash FROM billing.setup_token')) as {
    token_hash: string;
  }[];
  expect(stored).toHaveLength(1);
  for (const token of ['x'.repeat(43), stored[0]?.token_hash ?? ''])
    expect(await (await setUp(billing, { ...OWNER, token })).json()).toMatchObject({
      error: { param: 'token' },
    });
  expect(await isNeeded(billing)).toEqual({ needed: true });
});

test("the operator's own token is the only one where it is set, and none is made", async () => {
  const { database, billing } = await newDeployment({ SETUP_TOKEN: SET_TOKEN });
  expect(await database.query('SELECT * FROM billing.setup_token')).toEqual([]);
  expect((await setUp(billing, { ...OWNER, token: 'another one' })).status).toBe(403);
  expect((await setUp(billing, { ...OWNER, token: SET_TOKEN })).status).toBe(201);
});

test('of several who set the deployment up at once one is its owner', async () => {
  const { database, billing } = await newDeployment({ SETUP_TOKEN: SET_TOKEN });
  const answers = await Promise.all(
    [1, 2, 3].map((n) => setUp(billing, { ...OWNER, email: `ada${n}@billing.example`, token: SET_TOKEN })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await database.query('SELECT role FROM billing.app_user')).toEqual([{ role: 'owner' }]);
  expect(await database.query('SELECT count(*)::int AS made FROM billing.account')).toEqual([{ made: 1 }]);
});

test('the audit log tells of it without the token or the password', async () => {
  const { database, billing } = await newDeployment({ SETUP_TOKEN: SET_TOKEN });
  await setUp(billing, { ...OWNER, token: SET_TOKEN });
  const rows = await database.query("SELECT * FROM billing.audit_log WHERE action = 'setup'");
  expect(rows).toMatchObject([{ actor: OWNER.email, after: { account: 'Acme' } }]);
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${SET_TOKEN}|${PASSWORD}`));
});
