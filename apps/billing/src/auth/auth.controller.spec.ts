import { createHash } from 'node:crypto';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, cookieNamed, readCookie, signIn } from '../../testing/people.ts';

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

let clients = 0;
/** Every call comes from a client of its own, so that tests do not use up each other's tries. */
const logInWith = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${billing.url}/api/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.100.${(clients += 1)}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const person = async (name: string) => {
  const email = `${name}@billing.example`;
  const session = await addPerson(environment, email, 'member');
  return { session, credentials: { email, password: PASSWORD } };
};
const whoIs = (cookie: string) => fetch(`${billing.url}/api/auth/session`, { headers: { cookie } });

test('who signs in is told who they are, and is so for the next requests', async () => {
  const { session, credentials } = await person('ada');
  const answer = await logInWith(credentials);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual(session);
  const next = await whoIs(readCookie(answer));
  expect([next.status, await next.json()]).toEqual([200, { ...session, time_zone: 'UTC' }]);
});

test('the case of the e-mail address does not matter', async () => {
  const { session, credentials } = await person('Grace');
  const answer = await logInWith({ ...credentials, email: 'gRACE@billing.EXAMPLE' });
  expect([answer.status, await answer.json()]).toEqual([200, session]);
});

test('the cookie is out of reach of scripts and other sites', async () => {
  const { credentials } = await person('flags');
  const cookies = (await logInWith(credentials)).headers.getSetCookie().sort();
  expect(cookies).toHaveLength(2);
  for (const [index, form] of [/^tollgate_device=\S{40,}$/, /^tollgate_session=\S{40,}$/].entries()) {
    const [value, ...flags] = cookies[index]?.split('; ') ?? [];
    expect(value).toMatch(form);
    expect(flags).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax']));
    expect(flags).not.toContain('Secure');
  }
  expect(cookies[0]).toMatch(/; Path=\/api\/auth(?:;|$)/);
  expect(cookies[1]).toMatch(/; Path=\/(?:;|$).*Expires=/);
});

test("the cookie of a request that came by HTTPS is this very host's, and sent by HTTPS only", async () => {
  const { session, credentials } = await person('secure');
  const answer = await logInWith(credentials, { 'x-forwarded-proto': 'https' });
  const cookies = answer.headers.getSetCookie();
  for (const cookie of cookies) expect(cookie).toMatch(/; Secure/);
  const [value = '', ...flags] = cookies.find((cookie) => cookie.includes('session'))?.split('; ') ?? [];
  expect(value).toMatch(/^__Host-tollgate_session=\S{40,}$/);
  expect(flags).toEqual(expect.arrayContaining(['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']));
  expect(flags.join()).not.toContain('Domain');
  const who = async (sent: string, proto: string) => {
    const headers = { cookie: sent, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': proto };
    return (await fetch(`${billing.url}/api/auth/session`, { headers })).json();
  };
  expect(await who(value, 'https')).toEqual({ ...session, time_zone: 'UTC' });
  // One that a neighbour planted, with a session of its own.
  const planted = value.replace('__Host-', '');
  expect(await who(planted, 'https')).toMatchObject({ error: { type: 'authentication_error' } });
  expect(await who(`${planted}; ${value.slice(0, -4)}`, 'https')).toMatchObject({ error: {} });
});

test('a wrong password and an unknown address are answered alike', async () => {
  const { credentials } = await person('known');
  const wrong = await logInWith({ ...credentials, password: 'not the password' });
  const unknown = await logInWith({ ...credentials, email: 'unknown@billing.example' });
  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  const text = await wrong.text();
  expect(await unknown.text()).toBe(text);
  expect(JSON.parse(text)).toMatchObject({ error: { type: 'authentication_error' } });
  expect([...wrong.headers.getSetCookie(), ...unknown.headers.getSetCookie()]).toEqual([]);
});

test('signing out ends the session, for every copy of its cookie', async () => {
  const { credentials } = await person('leaver');
  const cookie = readCookie(await logInWith(credentials));
  const answer = await fetch(`${billing.url}/api/auth/logout`, { method: 'POST', headers: { cookie } });
  expect(answer.status).toBe(204);
  expect((await whoIs(cookie)).status).toBe(401);
});

test('signing out without a session is no error', async () => {
  expect((await fetch(`${billing.url}/api/auth/logout`, { method: 'POST' })).status).toBe(204);
});

test('signing in makes a new session id, and the one before is of no use', async () => {
  const { credentials } = await person('fixated');
  const before = readCookie(await logInWith(credentials));
  const after = readCookie(await logInWith(credentials, { cookie: before }));
  expect(after).not.toBe(before);
  expect((await whoIs(after)).status).toBe(200);
  expect((await whoIs(before)).status).toBe(401);
});

test('only the hash of a session id is stored', async () => {
  const { session, credentials } = await person('hashed');
  const value = decodeURIComponent(
    cookieNamed(await logInWith(credentials), 'tollgate_session').replace('tollgate_session=', ''),
  );
  const [id = ''] = value.split('.');
  expect(id.length).toBeGreaterThan(20);
  const rows: { text: string; user_id: string | null; id_hash: string }[] = await environment.database.query(
    'SELECT to_jsonb(s)::text AS text, user_id, id_hash FROM billing.session s',
  );
  expect(rows.filter(({ text }) => text.includes(id))).toEqual([]);
  expect(rows.find(({ user_id }) => user_id === session.user_id)?.id_hash).toBe(
    createHash('sha256').update(id).digest('hex'),
  );
});

test('passwords are stored as Argon2id, at what OWASP recommends', async () => {
  const at = { url: billing.url, cookie: await signIn(billing.url, environment.first.email) };
  const person = { email: 'new@billing.example', role: 'member', password: 'another long password' };
  const made = await call(at, 'POST', `/api/accounts/${environment.first.accountId}/users`, person);
  expect(made.status).toBe(201);
  const rows: { password_hash: string }[] = await environment.database.query(
    'SELECT password_hash FROM billing.app_user WHERE email = $1',
    [person.email],
  );
  expect(rows).toHaveLength(1);
  for (const { password_hash } of rows) expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a page of another site cannot sign anybody in', async () => {
  const { credentials } = await person('victim');
  expect((await logInWith(credentials, { origin: 'https://evil.example' })).status).toBe(403);
  const form = await logInWith(JSON.stringify(credentials), { 'content-type': 'text/plain' });
  expect([400, 415]).toContain(form.status);
  expect(form.headers.getSetCookie()).toEqual([]);
});

test.each<[unknown, string | null]>([
  [{ email: 'no address', password: 'x' }, 'email'],
  [{ email: 'a@billing.example' }, 'password'],
  [{ email: 'a@billing.example', password: '' }, 'password'],
  [{ email: 'a@billing.example', password: ['x'] }, 'password'],
  ['{"email":', null],
])('the body %j is refused', async (body, param) => {
  const answer = await logInWith(body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
});
