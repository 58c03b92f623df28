import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MESSAGE, sessionSchema } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import { z } from 'zod';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { TestBrowser, totpCode } from '../../testing/factors.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';

// One billing wants a second factor of operators; another one, on the same database, wants none of anybody.
const SECRET = randomBytes(32).toString('hex');
let environment: TestEnvironment;
let strict: RunningBilling;
let lenient: RunningBilling;
beforeAll(async () => {
  environment = await startTestEnvironment();
  const env = { TRUSTED_PROXIES: '127.0.0.1', SESSION_SECRET: SECRET };
  strict = await startBillingOn(environment, { ...env, SECOND_FACTOR_REQUIRED_FOR: 'owner, admin,finance' });
  lenient = await startBillingOn(environment, env);
});
afterAll(async () => {
  await strict.stop();
  await lenient.stop();
  await environment.stop();
});
beforeEach(() => environment.redis.flushall());

let count = 0;
async function person(role: 'owner' | 'admin' | 'finance' | 'member') {
  const email = `required${(count += 1)}@billing.example`;
  const { user_id: id, account_id: accountId } = await addPerson(environment, email, role);
  return { email, id, accountId };
}

test('who must have a factor and has none gets one before anything else, and is in with it', async () => {
  const { email } = await person('admin');
  const browser = new TestBrowser(strict.url);
  expect(await browser.password(email)).toBe(202);
  expect((await browser.send('GET', '/api/auth/second-factor')).body).toEqual({
    second_factor: 'enrol',
    methods: [],
  });
  for (const path of ['/api/auth/session', '/api/auth/profile', '/api/accounts', '/api/auth/factors'])
    expect([path, (await browser.send('GET', path)).status]).toEqual([path, 401]);
  for (const [method, path] of [
    ['POST', '/api/auth/factors/recovery-codes'],
    ['POST', '/api/auth/second-factor'],
    ['POST', '/api/auth/reauthentication'],
  ] as const)
    expect([path, (await browser.send(method, path, { code: '123456' })).status]).toEqual([path, 401]);
  const { body } = await browser.send<{ secret: string }>('POST', '/api/auth/factors/totp', {});
  expect((await browser.send('POST', '/api/auth/factors/totp/confirm', { code: '000000' })).status).toBe(400);
  const done = await browser.confirmTotp(body.secret);
  expect(done).toMatchObject({ status: 200, body: { session: { email, role: 'admin' } } });
  expect(done.body.recovery_codes).toHaveLength(10);
  expect(await browser.isIn()).toBe(true);
  expect(await new TestBrowser(strict.url).password(email)).toBe(202);
});

test('members are not asked, and may have one', async () => {
  const { email } = await person('member');
  const browser = new TestBrowser(strict.url);
  expect(await browser.password(email)).toBe(200);
  await browser.addTotp();
  expect(await new TestBrowser(strict.url).password(email)).toBe(202);
});

test('a session that was begun without one is over where one is wanted now, for other services too', async () => {
  const { email, id } = await person('finance');
  const browser = new TestBrowser(lenient.url);
  expect(await browser.password(email)).toBe(200);
  const there = new TestBrowser(strict.url);
  there.cookie = browser.cookie;
  expect([await browser.isIn(), await there.isIn()]).toEqual([true, false]);
  const client = createRequestReplyClient(
    `tcp://127.0.0.1:${strict.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const ask = { cookie: browser.cookie };
  expect(await client.request(MESSAGE.sessionLookup, ask, sessionSchema.nullable())).toBeNull();
  expect(await client.request(MESSAGE.sessionFresh, ask, z.boolean())).toBe(false);
  client.close();
  const mild = createRequestReplyClient(
    `tcp://127.0.0.1:${lenient.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  expect(await mild.request(MESSAGE.sessionFresh, ask, z.boolean())).toBe(true);
  await environment.database.query(
    `UPDATE billing.session SET data = data || '{"authenticatedAt": 0}' WHERE user_id = $1`,
    [id],
  );
  expect(await mild.request(MESSAGE.sessionFresh, ask, z.boolean())).toBe(false);
  mild.close();
});

test('of two who get the first factor of one person, the second does not', async () => {
  const { email } = await person('admin');
  const [first, second] = [new TestBrowser(strict.url), new TestBrowser(strict.url)];
  await first.password(email);
  await second.password(email);
  await first.addTotp();
  await expect(second.addTotp()).rejects.toThrow(/409/);
  expect(await second.isIn()).toBe(false);
});

test('the last factor of who must have one stays', async () => {
  const { email } = await person('owner');
  const browser = new TestBrowser(strict.url);
  await browser.password(email);
  await browser.addTotp();
  expect((await browser.send('DELETE', '/api/auth/factors/totp')).status).toBe(409);
  expect((await browser.send('GET', '/api/auth/factors')).body).toMatchObject({
    is_required: true,
    totp: { created_at: expect.any(String) },
    recovery_codes_left: 10,
  });
});

test('an admin takes the factors of another away, not their own, not those of an owner, and it is told', async () => {
  const [admin, member, owner] = [await person('admin'), await person('member'), await person('owner')];
  const browsers = [admin, member, owner].map(() => new TestBrowser(lenient.url));
  const [byAdmin, byMember, byOwner] = browsers as [TestBrowser, TestBrowser, TestBrowser];
  await byAdmin.password(admin.email);
  await byMember.password(member.email);
  await byOwner.password(owner.email);
  for (const browser of browsers) await browser.addTotp();
  const reset = (by: TestBrowser, of: { id: string; accountId: string }) =>
    by.send('DELETE', `/api/accounts/${of.accountId}/users/${of.id}/factors`);
  expect((await reset(byMember, admin)).status).toBe(403);
  expect((await reset(byAdmin, admin)).status).toBe(409);
  expect((await reset(byAdmin, owner)).status).toBe(403);
  expect((await reset(byAdmin, member)).status).toBe(204);
  expect(await byMember.isIn()).toBe(false);
  const again = new TestBrowser(lenient.url);
  expect(await again.password(member.email)).toBe(200);
  expect((await again.send('GET', '/api/auth/factors')).body).toMatchObject({
    totp: null,
    last_reset: { by: admin.email, at: expect.any(String) },
  });
});

test('whoever runs the service takes the factors of the last owner away, from the terminal', async () => {
  const { email, id } = await person('owner');
  const browser = new TestBrowser(lenient.url);
  await browser.password(email);
  await browser.addTotp();
  const script = join(import.meta.dirname, '..', '..', 'bundle', 'reset-factors.js');
  const env = { ...process.env, DATABASE_URL: environment.databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [script, email], { env });
  expect(stdout).toContain('an authenticator app');
  expect(await browser.isIn()).toBe(false);
  expect(await new TestBrowser(lenient.url).password(email)).toBe(200);
  const rows: unknown[] = await environment.database.query(
    `SELECT 1 FROM billing.audit_log WHERE action = 'factor.reset' AND actor = 'operator' AND object = $1`,
    [`user ${id}`],
  );
  expect(rows).toHaveLength(1);
});

test('the key that seals secrets changes, and the codes of apps go on working', async () => {
  const { email } = await person('member');
  const browser = new TestBrowser(lenient.url);
  await browser.password(email);
  const { secret } = await browser.addTotp();
  const sealedBy = async () => {
    const rows: { key: string }[] = await environment.database.query(
      `SELECT DISTINCT split_part(secret, '.', 3) AS key FROM billing.totp`,
    );
    return rows.map(({ key }) => key);
  };
  const before = await sealedBy();
  const key = randomBytes(32).toString('base64');
  // Its own key while the secret of sessions still opens what was sealed; then the secret of sessions is another one.
  const env = { TRUSTED_PROXIES: '127.0.0.1', FACTOR_SEAL_KEY: key };
  await (await startBillingOn(environment, { ...env, SESSION_SECRET: SECRET })).stop();
  const after = await sealedBy();
  expect(after).toHaveLength(1);
  expect(before).not.toContain(after[0]);
  const next = await startBillingOn(environment, env);
  const there = new TestBrowser(next.url);
  expect(await there.password(email)).toBe(202);
  expect((await there.send('POST', '/api/auth/second-factor', { code: totpCode(secret) })).status).toBe(200);
  await next.stop();
});
