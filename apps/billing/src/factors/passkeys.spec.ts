import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { atOnce, TestBrowser } from '../../testing/factors.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';
import { type Otherwise, SoftwarePasskey } from '../../testing/software-passkey.ts';
import { passkeySite } from './passkeys.ts';

// Passkeys of software answer over HTTP what the browser of a device would; a test changes one thing of an answer.
const ORIGIN = 'https://tollgate.example';
let environment: TestEnvironment;
let billing: RunningBilling;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment, { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: ORIGIN });
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});
beforeEach(() => environment.redis.flushall());

type Ask = { readonly challenge: string };
let count = 0;
const newBrowser = () => new TestBrowser(billing.url);
const add = async (browser: TestBrowser, passkey: SoftwarePasskey, otherwise: Otherwise = {}) => {
  const { body } = await browser.send<Ask>('POST', '/api/auth/factors/passkeys/options', {});
  const response = passkey.create(body, otherwise);
  return browser.send('POST', '/api/auth/factors/passkeys', { name: 'My phone', response });
};
/** A person with a passkey, who is signed in. */
async function withPasskey() {
  const email = `passkey${(count += 1)}@billing.example`;
  const { user_id: id } = await addPerson(environment, email, 'member');
  const [browser, passkey] = [newBrowser(), new SoftwarePasskey(ORIGIN)];
  await browser.password(email);
  const added = await add(browser, passkey);
  expect(added).toMatchObject({ status: 200, body: { session: null } });
  return { email, id, browser, passkey, recoveryCodes: added.body['recovery_codes'] as string[] };
}
const ask = async (browser: TestBrowser, path = 'second-factor/passkey'): Promise<Ask> =>
  (await browser.send<Ask>('POST', `/api/auth/${path}/options`, {})).body;
const answer = (browser: TestBrowser, response: object, path = 'second-factor/passkey') =>
  browser.send('POST', `/api/auth/${path}`, { response });

test('who has a passkey is in with the password and the passkey', async () => {
  const { email, browser, passkey, recoveryCodes } = await withPasskey();
  expect(recoveryCodes).toHaveLength(10);
  const other = newBrowser();
  expect(await other.password(email)).toBe(202);
  const response = passkey.use(await ask(other), { isVerified: false });
  expect(await answer(other, response)).toMatchObject({ status: 200, body: { email } });
  expect((await browser.send('GET', '/api/auth/factors')).body).toMatchObject({
    passkey_origin: ORIGIN,
    passkeys: [{ name: 'My phone', last_used_at: expect.any(String) }],
  });
});

test.each<[string, Otherwise]>([
  ['at another site', { origin: 'https://tollgate.example.evil.example' }],
  ['at the same site over plain HTTP', { origin: 'http://tollgate.example' }],
  ['for another site', { rpId: 'evil.example' }],
])('a passkey that was used or made %s is of no use', async (_how, otherwise) => {
  const { email, browser, passkey } = await withPasskey();
  const other = newBrowser();
  await other.password(email);
  expect((await answer(other, passkey.use(await ask(other), otherwise))).status).toBe(400);
  expect(await other.isIn()).toBe(false);
  expect((await add(browser, new SoftwarePasskey(ORIGIN), otherwise)).status).toBe(400);
});

test('an answer is for one challenge, once, and for what it was asked for', async () => {
  const { email, browser, passkey } = await withPasskey();
  const [first, second] = [newBrowser(), newBrowser()];
  await first.password(email);
  await second.password(email);
  const [asked, other] = [await ask(first), await ask(second)];
  // Of another browser's challenge.
  expect((await answer(first, passkey.use(other))).status).toBe(400);
  // The challenge is used up, though the answer was wrong.
  expect((await answer(first, passkey.use(asked))).status).toBe(400);
  const response = passkey.use(await ask(first));
  expect((await answer(first, response)).status).toBe(200);
  // Signed in or not, the same answer again is none.
  expect((await answer(first, response)).status).toBe(401);
  expect((await answer(second, response)).status).toBe(400);
  // What was asked to prove it once more, to add one, or to sign in alone.
  const proof = passkey.use(await ask(browser, 'reauthentication/passkey'));
  expect((await answer(browser, proof, 'passkey')).status).toBe(400);
  const third = newBrowser();
  await third.password(email);
  const alone = passkey.use(await ask(third, 'passkey'));
  expect((await answer(third, alone)).status).toBe(400);
  expect(await third.isIn()).toBe(false);
});

test('a counter that goes back, or stands still, is a copy', async () => {
  const { email, passkey } = await withPasskey();
  const use = async (counter: number) => {
    const browser = newBrowser();
    await browser.password(email);
    return (await answer(browser, passkey.use(await ask(browser), { counter }))).status;
  };
  expect(await use(7)).toBe(200);
  expect([await use(7), await use(3), await use(0)]).toEqual([400, 400, 400]);
  expect(await use(8)).toBe(200);
});

test('of two copies of a passkey that are used at once, one is in', async () => {
  const { email, id, passkey } = await withPasskey();
  const browsers = [newBrowser(), newBrowser()];
  for (const browser of browsers) await browser.password(email);
  const answers = await Promise.all(
    browsers.map(async (browser) => passkey.use(await ask(browser), { counter: 5 })),
  );
  const statuses = await atOnce(environment, 'passkey', id, 2, () =>
    Promise.all(
      browsers.map(async (browser, index) => {
        const used = answers[index];
        if (!used) throw new Error('no answer');
        return (await answer(browser, used)).status;
      }),
    ),
  );
  expect(statuses.toSorted()).toEqual([200, 400]);
});

test("another's passkey is of no use", async () => {
  const [mine, theirs] = [await withPasskey(), await withPasskey()];
  const browser = newBrowser();
  await browser.password(mine.email);
  expect((await answer(browser, theirs.passkey.use(await ask(browser)))).status).toBe(400);
  const stranger = new SoftwarePasskey(ORIGIN);
  expect((await answer(browser, stranger.use(await ask(browser)))).status).toBe(400);
  // Nor may it be added a second time, to another person.
  expect((await add(mine.browser, theirs.passkey)).status).toBe(409);
});

test('a passkey whose device checked who holds it signs in alone', async () => {
  const { email, id, passkey } = await withPasskey();
  const browser = newBrowser();
  const unchecked = passkey.use(await ask(browser, 'passkey'), { isVerified: false });
  expect((await answer(browser, unchecked, 'passkey')).status).toBe(400);
  const checked = passkey.use(await ask(browser, 'passkey'));
  expect(await answer(browser, checked, 'passkey')).toMatchObject({ status: 200, body: { email } });
  expect(await browser.isIn()).toBe(true);
  await environment.database.query(`UPDATE billing.app_user SET status = 'disabled' WHERE id = $1`, [id]);
  const late = newBrowser();
  expect((await answer(late, passkey.use(await ask(late, 'passkey')), 'passkey')).status).toBe(403);
  expect(await late.isIn()).toBe(false);
});

test('asking for a passkey leaves who is signed in as they are', async () => {
  const { browser } = await withPasskey();
  await ask(browser, 'passkey');
  expect(await browser.isIn()).toBe(true);
});

test('a passkey is renamed and removed by its owner only, and the codes go with the last factor', async () => {
  const [mine, theirs] = [await withPasskey(), await withPasskey()];
  const { passkeys } = (await mine.browser.send<{ passkeys: { id: string }[] }>('GET', '/api/auth/factors'))
    .body;
  const path = `/api/auth/factors/passkeys/${passkeys[0]?.id}`;
  expect((await theirs.browser.send('PATCH', path, { name: 'Mine now' })).status).toBe(404);
  expect((await theirs.browser.send('DELETE', path)).status).toBe(404);
  expect((await mine.browser.send('PATCH', path, { name: 'Old phone' })).status).toBe(204);
  expect((await mine.browser.send('DELETE', path)).status).toBe(204);
  expect((await mine.browser.send('GET', '/api/auth/factors')).body).toMatchObject({
    passkeys: [],
    recovery_codes_left: 0,
  });
  expect(await newBrowser().password(mine.email)).toBe(200);
});

test.each([
  [undefined, undefined],
  ['https://tollgate.example', { rpId: 'tollgate.example', origin: 'https://tollgate.example' }],
  ['https://tollgate.example:8443', { rpId: 'tollgate.example', origin: 'https://tollgate.example:8443' }],
  ['http://localhost:3000', { rpId: 'localhost', origin: 'http://localhost:3000' }],
  ['http://tollgate.example', undefined],
  ['https://192.0.2.1', undefined],
  ['https://[2001:db8::1]', undefined],
])('of the public address %s passkeys are bound to %j', (publicUrl, site) => {
  expect(passkeySite(publicUrl)).toEqual(site);
});
