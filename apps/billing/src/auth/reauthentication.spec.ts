import { type Resource, SERVICES } from '@tollgate/api';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { TestBrowser, totpCode } from '../../testing/factors.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';
import { useUpTries } from '../../testing/tries.ts';

let environment: TestEnvironment;
let billing: RunningBilling;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment, { TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});
beforeEach(() => environment.redis.flushall());

let count = 0;
async function signedIn(role: 'owner' | 'admin' | 'finance' | 'member' = 'member') {
  const email = `again${(count += 1)}@billing.example`;
  const { user_id: id, account_id: accountId } = await addPerson(environment, email, role);
  const browser = new TestBrowser(billing.url);
  await browser.password(email);
  return { email, id, accountId, browser };
}
/** Lets time pass since somebody proved who they are. */
const wait = (userId: string, minutes: number) =>
  environment.database.query(
    `UPDATE billing.session SET data = jsonb_set(data, '{authenticatedAt}',
       to_jsonb((data->>'authenticatedAt')::numeric - $2::int * 60000)) WHERE user_id = $1`,
    [userId, minutes],
  );
const age = (userId: string, column: 'created_at' | 'last_seen_at', hours: number) =>
  environment.database.query(
    `UPDATE billing.session SET ${column} = now() - make_interval(hours => $2) WHERE user_id = $1`,
    [userId, hours],
  );
const REQUIRED = { status: 403, body: { error: { code: 'reauthentication_required' } } };

/** What a stolen session must not be enough for, written down here once more. */
const DANGEROUS = [
  'PUT /api/auth/password',
  'POST /api/auth/factors/totp',
  'POST /api/auth/factors/totp/confirm',
  'DELETE /api/auth/factors/totp',
  'POST /api/auth/factors/passkeys/options',
  'POST /api/auth/factors/passkeys',
  'DELETE /api/auth/factors/passkeys/:passkey',
  'POST /api/auth/factors/recovery-codes',
  'DELETE /api/accounts/:id/users/:user/factors',
  'PUT /api/accounts/:id/users/:user/password',
  'POST /api/accounts/:id/users/:user/password-link',
  'DELETE /api/accounts/:id/users/:user',
  'POST /api/accounts/:id/users',
  'PATCH /api/accounts/:id/users/:user',
  'POST /api/accounts/:id/invites',
  'PATCH /api/accounts/:id',
  'POST /api/ledger/payouts',
  'POST /api/usage/partitions/:month/detach',
  'POST /api/usage/partitions/:month/drop',
];
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/accounts/:id/users': { email: 'x@billing.example', password: PASSWORD, role: 'admin' },
  'PATCH /api/accounts/:id/users/:user': { role: 'owner' },
  'POST /api/accounts/:id/invites': { email: 'x@billing.example', role: 'finance' },
  'PATCH /api/accounts/:id': { status: 'disabled' },
};

test.each(DANGEROUS)('%s wants a proof of the last minutes', async (route) => {
  const { id, accountId, browser } = await signedIn('owner');
  const [method = '', pattern = ''] = route.split(' ');
  const names: Record<string, string> = { id: accountId, user: id, month: '2026-01', passkey: id };
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? '');
  const body = method === 'DELETE' ? undefined : (BODIES[route] ?? {});
  await wait(id, 14);
  // What is asked for is nonsense, mostly; but it is looked at.
  expect(await browser.send(method, path, body)).not.toMatchObject(REQUIRED);
  if (!(await browser.isIn())) return;
  await wait(id, 2);
  expect(await browser.send(method, path, body)).toMatchObject(REQUIRED);
});

test('the routes that say that they want one are these', () => {
  const saying = Object.values<Resource>(SERVICES.billing.resources)
    .flatMap((resource) => Object.values(resource))
    .filter(({ reauthenticate }) => reauthenticate !== undefined)
    .map(({ method, path }) => `${method} ${path}`);
  expect(saying.toSorted()).toEqual(DANGEROUS.toSorted());
});

test.each([
  [
    'makes a member',
    'POST',
    'users',
    { email: 'member@billing.example', password: PASSWORD, role: 'member' },
    201,
  ],
  ['invites a member', 'POST', 'invites', { email: 'invited@billing.example', role: 'member' }, 201],
])('who %s is not asked', async (_what, method, path, body, status) => {
  const { id, accountId, browser } = await signedIn('owner');
  await wait(id, 60);
  expect((await browser.send(method, `/api/accounts/${accountId}/${path}`, body)).status).toBe(status);
});

test('the password proves it, tries at it are counted and noted, and the request works then', async () => {
  const { id, browser } = await signedIn();
  await wait(id, 16);
  const add = () => browser.send('POST', '/api/auth/factors/totp', {});
  expect(await add()).toMatchObject(REQUIRED);
  expect((await browser.send('GET', '/api/auth/reauthentication')).body).toEqual({ methods: ['password'] });
  const prove = (password: string) => browser.send('POST', '/api/auth/reauthentication', { password });
  expect(await prove('a guess')).toMatchObject({ status: 400, body: { error: { param: 'password' } } });
  expect(await add()).toMatchObject(REQUIRED);
  expect((await prove(PASSWORD)).status).toBe(204);
  expect((await add()).status).toBe(200);
  const rows: { action: string }[] = await environment.database.query(
    `SELECT action FROM billing.audit_log WHERE object = $1 AND action LIKE 'reauthenticate%' ORDER BY at, id`,
    [`user ${id}`],
  );
  expect(rows.map(({ action }) => action)).toEqual(['reauthenticate.failed', 'reauthenticate']);
  await useUpTries(() => prove('a guess'), { right: () => prove(PASSWORD), used: 2 });
});

test('who has a second factor proves it with that: the password alone may have been taken with the session', async () => {
  const { id, browser } = await signedIn();
  const { secret } = await browser.addTotp();
  await wait(id, 16);
  const remove = () => browser.send('DELETE', '/api/auth/factors/totp');
  expect((await browser.send('POST', '/api/auth/reauthentication', { password: PASSWORD })).status).toBe(400);
  expect(await remove()).toMatchObject(REQUIRED);
  const other = await signedIn();
  const theirs = await other.browser.addTotp();
  const prove = (code: string) => browser.send('POST', '/api/auth/reauthentication', { code });
  expect((await prove(totpCode(theirs.secret))).status).toBe(400);
  expect(await remove()).toMatchObject(REQUIRED);
  const code = totpCode(secret);
  expect((await prove(code)).status).toBe(204);
  expect((await prove(code)).status).toBe(400);
  expect((await remove()).status).toBe(204);
});

test.each([
  ['member', 719, 721, 167, 169],
  ['finance', 11, 13, 3, 5],
  ['owner', 11, 13, 3, 5],
] as const)(
  'a session of the role %s ends, however it is used, and when nobody uses it',
  async (role, young, old, seen, unseen) => {
    const { id, browser } = await signedIn(role);
    await age(id, 'created_at', young);
    expect(await browser.isIn()).toBe(true);
    await age(id, 'created_at', old);
    expect(await browser.isIn()).toBe(false);
    expect((await browser.send('GET', '/api/auth/profile')).status).toBe(401);

    const idle = await signedIn(role);
    await age(idle.id, 'last_seen_at', seen);
    expect(await idle.browser.isIn()).toBe(true);
    await age(idle.id, 'last_seen_at', unseen);
    expect(await idle.browser.isIn()).toBe(false);
  },
);

test('who becomes an operator has the session of one', async () => {
  const { id, browser } = await signedIn('member');
  await age(id, 'created_at', 13);
  expect(await browser.isIn()).toBe(true);
  await environment.database.query(`UPDATE billing.app_user SET role = 'admin' WHERE id = $1`, [id]);
  expect(await browser.isIn()).toBe(false);
});
