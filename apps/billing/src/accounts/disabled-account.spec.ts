import { MESSAGE, type Session, sessionSchema } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { TestBrowser, totpCode } from '../../testing/factors.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';

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
async function person(role: Session['role'] = 'member') {
  const session = await addPerson(environment, `shut${(count += 1)}@billing.example`, role);
  const browser = new TestBrowser(billing.url);
  expect(await browser.password(session.email)).toBe(200);
  return { ...session, browser };
}
const setStatus = (by: TestBrowser, { account_id }: Session, status: 'active' | 'disabled') =>
  by.send<{ error?: { param: string } }>('PATCH', `/api/accounts/${account_id}`, { status });
const newBrowser = () => new TestBrowser(billing.url);

test('people of an account that is disabled are out at once, for other services too, and stay so', async () => {
  const [owner, shut, other] = [await person('owner'), await person(), await person()];
  const client = createRequestReplyClient(
    `tcp://127.0.0.1:${billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const lookUp = () =>
    client.request(MESSAGE.sessionLookup, { cookie: shut.browser.cookie }, sessionSchema.nullable());
  expect(await lookUp()).toMatchObject({ email: shut.email });
  expect((await setStatus(owner.browser, shut, 'disabled')).status).toBe(200);
  expect([await shut.browser.isIn(), await lookUp(), await other.browser.isIn()]).toEqual([
    false,
    null,
    true,
  ]);

  const refused = await newBrowser().send<{ error: { message: string } }>('POST', '/api/auth/login', {
    email: shut.email,
    password: 'a long enough password',
  });
  expect([refused.status, refused.body.error.message]).toEqual([
    403,
    'Your account is disabled here. Ask an admin of this service.',
  ]);
  const failed: unknown[] = await environment.database.query(
    `SELECT 1 FROM billing.audit_log WHERE action = 'sign-in.failed' AND reason = 'account disabled' AND object = $1`,
    [`user ${shut.user_id}`],
  );
  expect(failed).toHaveLength(1);

  expect((await setStatus(owner.browser, shut, 'active')).status).toBe(200);
  expect([await shut.browser.isIn(), await lookUp()]).toEqual([false, null]);
  expect(await shut.browser.password(shut.email)).toBe(200);
  client.close();
});

test('a session that a sign-in at the same moment left opens nothing', async () => {
  const shut = await person();
  await environment.database.query(`UPDATE billing.account SET status = 'disabled' WHERE id = $1`, [
    shut.account_id,
  ]);
  expect(await shut.browser.isIn()).toBe(false);
  expect((await shut.browser.send('GET', '/api/keys')).status).toBe(401);
});

test('who is between the password and the code does not get on', async () => {
  const [owner, shut] = [await person('owner'), await person()];
  const { secret } = await shut.browser.addTotp();
  const between = newBrowser();
  expect(await between.password(shut.email)).toBe(202);
  await setStatus(owner.browser, shut, 'disabled');
  const code = { code: totpCode(secret) };
  expect((await between.send('POST', '/api/auth/second-factor', code)).status).toBe(401);
});

test('links for its people, and those that they made, work no more, also when it is enabled again', async () => {
  const [owner, shut, other] = [await person('owner'), await person('admin'), await person()];
  const make = async (by: TestBrowser, path: string, body: object) =>
    (await by.send<{ token: string }>('POST', `/api/accounts/${path}`, body)).body.token;
  const passwordLink = `${shut.account_id}/users/${shut.user_id}/password-link`;
  const tokens = [
    await make(owner.browser, passwordLink, {}),
    await make(shut.browser, `${other.account_id}/invites`, {
      email: 'later@billing.example',
      role: 'admin',
    }),
  ];
  const look = () =>
    Promise.all(
      tokens.map(async (token) => (await newBrowser().send('POST', '/api/links/look', { token })).status),
    );
  expect(await look()).toEqual([200, 200]);
  // Whatever disabled it: the right is asked for when the link is used.
  const write = (status: string) =>
    environment.database.query('UPDATE billing.account SET status = $2 WHERE id = $1', [
      shut.account_id,
      status,
    ]);
  await write('disabled');
  expect(await look()).toEqual([410, 410]);
  await write('active');
  expect(await look()).toEqual([200, 200]);

  await setStatus(owner.browser, shut, 'disabled');
  expect(await look()).toEqual([410, 410]);
  expect((await owner.browser.send('POST', `/api/accounts/${passwordLink}`, {})).status).toBe(409);
  const invites = `/api/accounts/${shut.account_id}/invites`;
  expect((await owner.browser.send('POST', invites, { email: 'new@billing.example' })).status).toBe(409);
  await setStatus(owner.browser, shut, 'active');
  expect(await look()).toEqual([410, 410]);
});

test('nobody shuts themselves out, an admin no owner, and one owner is always left', async () => {
  const [admin, owner, second] = [await person('admin'), await person('owner'), await person('owner')];
  const own = await setStatus(admin.browser, admin, 'disabled');
  expect([own.status, own.body.error?.param]).toEqual([409, 'status']);
  expect((await setStatus(admin.browser, owner, 'disabled')).status).toBe(403);
  expect((await setStatus(owner.browser, owner, 'disabled')).status).toBe(409);
  await environment.database.query(
    `UPDATE billing.app_user SET status = 'disabled' WHERE role = 'owner' AND id <> ALL($1)`,
    [[owner.user_id, second.user_id]],
  );
  const answers = await Promise.all([
    setStatus(owner.browser, second, 'disabled'),
    setStatus(second.browser, owner, 'disabled'),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const left = [owner, second].filter((_, index) => answers[index]?.status === 200);
  const [last] = left;
  if (!last) throw new Error('no owner is left');
  // Of the owners who are left none may step down: one in a disabled account counts for nothing.
  const path = `/api/accounts/${last.account_id}/users/${last.user_id}`;
  expect((await last.browser.send('PATCH', path, { role: 'admin' })).status).toBe(409);
});
