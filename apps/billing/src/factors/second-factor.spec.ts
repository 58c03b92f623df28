import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { atOnce, TestBrowser, totpCode } from '../../testing/factors.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';
import { useUpTries } from '../../testing/tries.ts';

// People sign in over HTTP, with the codes that an app computes of the secret that it was given.
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
// Tries are counted there: each test has all of them.
beforeEach(() => environment.redis.flushall());

let count = 0;
const newBrowser = () => new TestBrowser(billing.url);
/** A person with an app, who is signed out. */
async function withApp(role: 'owner' | 'admin' | 'finance' | 'member' = 'member') {
  const email = `factor${(count += 1)}@billing.example`;
  const { user_id: id, account_id: accountId } = await addPerson(environment, email, role);
  const browser = newBrowser();
  expect(await browser.password(email)).toBe(200);
  return { email, id, accountId, browser, ...(await browser.addTotp()) };
}
const step2 = (browser: TestBrowser, code: string) =>
  browser.send<{ error?: { message: string; param: string } }>('POST', '/api/auth/second-factor', { code });
const actionsOn = async (id: string): Promise<string[]> =>
  (
    await environment.database.query<{ action: string }[]>(
      'SELECT action FROM billing.audit_log WHERE object = $1 ORDER BY at, id',
      [`user ${id}`],
    )
  ).map(({ action }) => action);

test('who has an app is in only with its code', async () => {
  const { email, id, secret } = await withApp();
  const browser = newBrowser();
  expect(await browser.password(email)).toBe(202);
  expect(await browser.isIn()).toBe(false);
  expect((await browser.send('GET', '/api/auth/second-factor')).body).toEqual({
    second_factor: 'verify',
    methods: ['totp', 'recovery_code'],
  });
  expect(await step2(browser, totpCode(secret))).toMatchObject({ status: 200, body: { email } });
  expect(await browser.isIn()).toBe(true);
  expect(await actionsOn(id)).toEqual(['sign-in', 'factor.add', 'sign-in.begin', 'sign-in']);
});

test('between the password and the code nothing else may be done', async () => {
  const { email, id, accountId } = await withApp('owner');
  const browser = newBrowser();
  await browser.password(email);
  const routes: [string, string, object?][] = [
    ['GET', '/api/auth/session'],
    ['GET', '/api/auth/profile'],
    ['GET', '/api/auth/sessions'],
    ['DELETE', '/api/auth/sessions'],
    ['PUT', '/api/auth/password', { current_password: PASSWORD, password: 'quite another password' }],
    ['GET', '/api/auth/factors'],
    ['POST', '/api/auth/factors/totp', {}],
    ['POST', '/api/auth/factors/totp/confirm', { code: '123456' }],
    ['DELETE', '/api/auth/factors/totp'],
    ['POST', '/api/auth/factors/passkeys/options', {}],
    ['POST', '/api/auth/factors/recovery-codes', {}],
    ['DELETE', `/api/accounts/${accountId}/users/${id}/factors`],
    ['GET', '/api/auth/reauthentication'],
    ['POST', '/api/auth/reauthentication', { password: PASSWORD }],
    ['GET', '/api/keys'],
    ['POST', '/api/keys', { name: 'a key' }],
    ['GET', '/api/accounts'],
    ['GET', '/api/usage'],
    ['GET', '/api/audit-log'],
  ];
  for (const [method, path, body] of routes)
    expect([path, (await browser.send(method, path, body)).status]).toEqual([path, 401]);
  const upload = await fetch(
    `${billing.url}/api/finance/reconciliations?upstream=x&from=2026-10-01&to=2026-11-01`,
    {
      method: 'POST',
      headers: { cookie: browser.cookie, 'content-type': 'text/csv' },
      body: 'a,b\n',
    },
  );
  expect(upload.status).toBe(401);
  const rows: unknown[] = await environment.database.query(
    `SELECT 1 FROM billing.session WHERE user_id = $1 AND data ? 'step'`,
    [id],
  );
  expect(rows).toEqual([]);
});

test('a code is good once, and so is every one before it', async () => {
  const { email, secret } = await withApp();
  const [now, next] = [totpCode(secret), totpCode(secret, 1)];
  const first = newBrowser();
  await first.password(email);
  expect((await step2(first, next)).status).toBe(200);
  for (const code of [next, now]) {
    const again = newBrowser();
    await again.password(email);
    expect(await step2(again, code)).toMatchObject({ status: 400, body: { error: { param: 'code' } } });
    expect(await again.isIn()).toBe(false);
  }
});

test('the code that an app was added with signs nobody in', async () => {
  const email = `added${(count += 1)}@billing.example`;
  await addPerson(environment, email, 'member');
  const browser = newBrowser();
  await browser.password(email);
  const { body } = await browser.send<{ secret: string }>('POST', '/api/auth/factors/totp', {});
  const code = totpCode(body.secret);
  expect((await browser.send('POST', '/api/auth/factors/totp/confirm', { code })).status).toBe(200);
  const other = newBrowser();
  await other.password(email);
  expect((await step2(other, code)).status).toBe(400);
});

test('of four who show one code at once, one is in', async () => {
  const { email, id, secret } = await withApp();
  const browsers = Array.from({ length: 4 }, newBrowser);
  for (const browser of browsers) await browser.password(email);
  const code = totpCode(secret);
  // All of them have read which code was used last before one of them writes it.
  const statuses = await atOnce(environment, 'totp', id, 4, () =>
    Promise.all(browsers.map(async (browser) => (await step2(browser, code)).status)),
  );
  expect(statuses.toSorted()).toEqual([200, 400, 400, 400]);
});

test("another's code is of no use", async () => {
  const [mine, theirs] = [await withApp(), await withApp()];
  const browser = newBrowser();
  await browser.password(mine.email);
  expect((await step2(browser, totpCode(theirs.secret))).status).toBe(400);
  expect((await step2(browser, theirs.recoveryCodes?.[0] ?? '')).status).toBe(400);
  expect((await step2(browser, totpCode(mine.secret))).status).toBe(200);
});

test("another's sealed secret opens nothing in one's own row", async () => {
  const [mine, theirs] = [await withApp(), await withApp()];
  await environment.database.query(
    'UPDATE billing.totp SET secret = (SELECT secret FROM billing.totp WHERE user_id = $2) WHERE user_id = $1',
    [mine.id, theirs.id],
  );
  const browser = newBrowser();
  await browser.password(mine.email);
  expect((await step2(browser, totpCode(theirs.secret))).status).toBe(500);
  expect(await browser.isIn()).toBe(false);
});

test('a recovery code is good once, however it is written, and those that are left are counted', async () => {
  const { email, id, recoveryCodes } = await withApp();
  expect(recoveryCodes).toHaveLength(10);
  const [code = ''] = recoveryCodes ?? [];
  expect(code).toMatch(/^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/);
  const browser = newBrowser();
  await browser.password(email);
  expect((await step2(browser, code.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
  expect((await browser.send('GET', '/api/auth/factors')).body).toMatchObject({ recovery_codes_left: 9 });
  const again = newBrowser();
  await again.password(email);
  expect((await step2(again, code)).status).toBe(400);
  expect(await actionsOn(id)).toContain('factor.use-recovery-code');
});

test('nothing that is stored or logged holds a secret or a code', async () => {
  const { id, secret, recoveryCodes } = await withApp();
  const rows: { text: string }[] = await environment.database.query(
    `SELECT to_jsonb(t)::text AS text FROM billing.totp t UNION ALL
     SELECT to_jsonb(r)::text FROM billing.recovery_code r UNION ALL
     SELECT to_jsonb(s)::text FROM billing.session s UNION ALL
     SELECT to_jsonb(a)::text FROM billing.audit_log a`,
  );
  const text = rows.map((row) => row.text).join('\n');
  for (const each of [secret, ...(recoveryCodes ?? [])]) expect(text).not.toContain(each);
  expect(text).toContain(id);
});

test('codes are not guessed: soon each further try must wait, and the right one waits too', async () => {
  const { email, id, secret, recoveryCodes } = await withApp();
  const browser = newBrowser();
  await browser.password(email);
  for (let guess = 0; guess < 5; guess += 1) {
    await environment.redis.flushall();
    expect((await step2(browser, '000000')).status).toBe(400);
  }
  await environment.redis.flushall();
  const refused = await step2(browser, totpCode(secret));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // The wait is the database's: another browser, and a Redis that has forgotten all, change nothing.
  const other = newBrowser();
  await other.password(email);
  await environment.redis.flushall();
  expect((await step2(other, totpCode(secret))).status).toBe(429);
  const after = (seconds: number) =>
    environment.database.query(
      'UPDATE billing.totp SET failed_at = now() - make_interval(secs => $2) WHERE user_id = $1',
      [id, seconds],
    );
  await after(31);
  expect((await step2(other, '000000')).status).toBe(400);
  await after(31);
  expect((await step2(other, totpCode(secret))).status).toBe(429);
  // Who has lost their way has another one meanwhile.
  expect((await step2(other, recoveryCodes?.[0] ?? '')).status).toBe(200);
  await after(61);
  expect((await step2(browser, totpCode(secret))).status).toBe(200);
});

test('the eleventh code within a minute is refused, whatever it is', async () => {
  const { email } = await withApp();
  const browser = newBrowser();
  await browser.password(email);
  const guess = () => step2(browser, 'zzzz-zzzz-zzzz-zzzz');
  expect((await guess()).status).toBe(400);
  await useUpTries(guess, { used: 1 });
});

test('what was begun with a password ends with it, and with ten minutes', async () => {
  const { email, id, secret } = await withApp();
  const [before, late, disabled] = [newBrowser(), newBrowser(), newBrowser()];
  for (const browser of [before, late, disabled]) await browser.password(email);
  const [{ password_hash: hash } = { password_hash: '' }]: { password_hash: string }[] =
    await environment.database.query('SELECT password_hash FROM billing.app_user WHERE id = $1', [id]);
  const setHash = (value: string) =>
    environment.database.query('UPDATE billing.app_user SET password_hash = $2 WHERE id = $1', [id, value]);
  await setHash(`${hash}x`);
  expect((await step2(before, totpCode(secret))).status).toBe(401);
  await setHash(hash);
  const setStatus = (status: string) =>
    environment.database.query('UPDATE billing.app_user SET status = $2 WHERE id = $1', [id, status]);
  await setStatus('disabled');
  expect((await step2(disabled, totpCode(secret))).status).toBe(401);
  await setStatus('active');
  await environment.database.query(
    `UPDATE billing.session SET data = jsonb_set(data, '{step,begunAt}', to_jsonb(extract(epoch FROM now()) * 1000 - 600001))
     WHERE data->'step'->>'userId' = $1`,
    [id],
  );
  expect((await step2(late, totpCode(secret))).status).toBe(401);
});

test('a link to a new password asks for the code too', async () => {
  const { email, id, accountId, secret } = await withApp();
  const owner = newBrowser();
  await owner.password(environment.first.email);
  const made = await owner.send<{ token: string }>(
    'POST',
    `/api/accounts/${accountId}/users/${id}/password-link`,
    {},
  );
  const browser = newBrowser();
  const used = await browser.send('POST', '/api/links/use', {
    token: made.body.token,
    password: 'quite another password',
  });
  expect([used.status, used.body]).toMatchObject([202, { second_factor: 'verify' }]);
  expect(await browser.isIn()).toBe(false);
  expect((await step2(browser, totpCode(secret))).status).toBe(200);
  expect(await browser.password(email, 'quite another password')).toBe(202);
});

test('what is begun in one browser is nothing in another', async () => {
  const { email, secret } = await withApp();
  const [begun, stranger] = [newBrowser(), newBrowser()];
  await begun.password(email);
  expect((await step2(stranger, totpCode(secret))).status).toBe(401);
  const person = newBrowser();
  const one = `one${(count += 1)}@billing.example`;
  await addPerson(environment, one, 'member');
  await person.password(one);
  expect((await step2(person, totpCode(secret))).status).toBe(401);
});
