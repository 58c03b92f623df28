import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, readCookie, logIn } from '../../testing/people.ts';
import { useUpTries } from '../../testing/tries.ts';
import { sessionPolicy } from './session-policy.ts';
import { createSessions } from './session-store.ts';

interface Listed {
  readonly id: string;
  readonly is_current: boolean;
  readonly device: { readonly browser: string | null; readonly system: string | null };
  readonly address: string;
  readonly last_seen_at: string;
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
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

const person = async (name: string): Promise<string> =>
  (await addPerson(environment, `${name}@billing.example`, 'member')).email;
const enter = async (email: string): Promise<string> => readCookie(await logIn(billing.url, email));
const send = <T = Record<string, unknown>>(cookie: string, method: string, path: string, body?: object) =>
  call<T>({ url: billing.url, cookie }, method, `/api/auth${path}`, body);
const list = async (cookie: string): Promise<readonly Listed[]> =>
  (await send<{ items: Listed[] }>(cookie, 'GET', '/sessions')).body.items;
const isIn = async (cookie: string): Promise<boolean> =>
  (await send(cookie, 'GET', '/session')).status === 200;

test('a person sees where they are signed in, with the device, and which of it is this one', async () => {
  const email = await person('ada');
  const answer = await fetch(`${billing.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': FIREFOX, 'x-forwarded-for': '198.51.100.7' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  await enter(await person('somebody.else'));
  const here = await enter(email);
  const sessions = await list(here);
  expect(sessions).toHaveLength(2);
  expect(sessions.find(({ is_current }) => !is_current)).toMatchObject({
    device: { browser: 'Firefox', system: 'Linux' },
    address: '198.51.100.7',
  });
  expect(sessions.filter(({ is_current }) => is_current)).toHaveLength(1);
  expect(JSON.stringify(sessions)).not.toMatch(/[0-9a-f]{64}/);
  const elsewhere = readCookie(answer);
  expect((await list(elsewhere)).find(({ is_current }) => is_current)?.device.browser).toBe('Firefox');
});

test('every request moves what was last seen on', async () => {
  const cookie = await enter(await person('seen'));
  const [before] = await list(cookie);
  const [after] = await list(cookie);
  expect(Date.parse(after?.last_seen_at ?? '')).toBeGreaterThan(Date.parse(before?.last_seen_at ?? ''));
});

test('one session is ended, all others are ended, and nobody ends those of another person', async () => {
  const email = await person('many');
  const [here, second, third] = [await enter(email), await enter(email), await enter(email)];
  const stranger = await enter(await person('stranger'));
  const id = (await list(second)).find(({ is_current }) => is_current)?.id ?? '';
  expect((await send(stranger, 'DELETE', `/sessions/${id}`)).status).toBe(404);
  expect((await send(here, 'DELETE', `/sessions/${id}`)).status).toBe(204);
  expect((await send(here, 'DELETE', `/sessions/${id}`)).status).toBe(404);
  expect((await send(here, 'DELETE', '/sessions/x')).status).toBe(404);
  expect([await isIn(here), await isIn(second), await isIn(third)]).toEqual([true, false, true]);
  expect((await send(here, 'DELETE', '/sessions')).status).toBe(204);
  expect([await isIn(here), await isIn(third), await isIn(stranger)]).toEqual([true, false, true]);
});

test('a session that is ended while a request of it is under way stays ended', async () => {
  const email = await person('raced');
  const cookie = await enter(email);
  const id = decodeURIComponent(/tollgate_session=([^;]*)/.exec(cookie)?.[1] ?? '').split('.')[0] ?? '';
  const sessions = createSessions(environment.database, sessionPolicy(billing.config));
  const get = () =>
    new Promise<Parameters<typeof sessions.set>[1] | null>((resolve, reject) =>
      sessions.get(id, (error, found) => (error ? reject(error as Error) : resolve(found ?? null))),
    );
  const underWay = await get();
  if (!underWay) throw new Error('the session is not there');
  await new Promise((resolve) => sessions.destroy(id, resolve));
  await new Promise((resolve) => sessions.set(id, underWay, resolve));
  expect(await get()).toBeNull();
  expect(await isIn(cookie)).toBe(false);
});

test('a new password needs the one before, and signs out everywhere else', async () => {
  const email = await person('changing');
  const [here, elsewhere] = [await enter(email), await enter(email)];
  const password = 'quite another password';
  const change = (current_password: string) => send(here, 'PUT', '/password', { current_password, password });
  expect(await change('a guess of it')).toMatchObject({
    status: 400,
    body: { error: { param: 'current_password' } },
  });
  expect((await change(PASSWORD)).status).toBe(204);
  expect([await isIn(here), await isIn(elsewhere)]).toEqual([true, false]);
  expect((await logIn(billing.url, email)).status).toBe(401);
  expect((await logIn(billing.url, email, password)).status).toBe(200);
});

test('the password before cannot be guessed with a session: the eleventh try is refused', async () => {
  const here = await enter(await person('guessing'));
  const guess = () =>
    send(here, 'PUT', '/password', { current_password: 'a guess', password: 'quite another password' });
  expect((await guess()).status).toBe(400);
  await useUpTries(guess, { used: 1 });
});

test('people say what they are called, and are told the clock of their account', async () => {
  const email = await person('named');
  const here = await enter(email);
  expect((await send(here, 'PATCH', '/profile', { name: 'Grace Hopper' })).status).toBe(204);
  expect((await send(here, 'GET', '/profile')).body).toMatchObject({
    email,
    name: 'Grace Hopper',
    role: 'member',
    time_zone: 'UTC',
    has_password: true,
  });
  expect((await send(here, 'PATCH', '/profile', { name: '' })).status).toBe(400);
});

test.each([
  ['GET', '/sessions'],
  ['DELETE', '/sessions'],
  ['GET', '/profile'],
])('%s %s needs a session', async (method, path) => {
  expect((await send('', method, path)).status).toBe(401);
});
