import type { Session } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, readCookie, logIn, signIn } from '../../testing/people.ts';

type User = Record<string, unknown> & { readonly id: string };

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
let admin: string;
let accountId: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment, { TRUSTED_PROXIES: '127.0.0.1' });
  owner = await signIn(billing.url, environment.first.email);
  await addPerson(environment, 'admin@billing.example', 'admin');
  admin = await signIn(billing.url, 'admin@billing.example');
  accountId = environment.first.accountId;
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const send = <T = User>(method: string, path: string, body?: object, cookie = owner, of = accountId) =>
  call<T>({ url: billing.url, cookie }, method, `/api/accounts/${of}/users${path}`, body);
let made = 0;
const add = async (role: Session['role'] = 'member'): Promise<User & { email: string }> => {
  const email = `Person${(made += 1)}@billing.example`;
  const { status, body } = await send('POST', '', { email, password: PASSWORD, role });
  expect(status).toBe(201);
  return { ...body, email };
};
const ownerId = async () => {
  const { items } = (await send<{ items: User[] }>('GET', '')).body;
  return items.find(({ email }) => email === environment.first.email)?.id ?? '';
};

test('a new person signs in with the password that was set', async () => {
  const { id, email, ...shown } = await add('finance');
  expect(shown).toEqual({
    account_id: accountId,
    name: '',
    role: 'finance',
    status: 'active',
    last_seen_at: null,
    created_at: expect.any(String),
  });
  const answer = await logIn(billing.url, email);
  expect(await answer.json()).toEqual({ user_id: id, account_id: accountId, email, role: 'finance' });
});

test('the people of an account are listed without anything of their passwords', async () => {
  const person = await add();
  const { status, body } = await send<{ items: User[] }>('GET', '');
  expect(status).toBe(200);
  expect(body.items).toContainEqual(person);
  expect(JSON.stringify(body)).not.toMatch(/password|argon/);
});

test('an address is there once, whatever its case and account', async () => {
  const { email } = await add();
  const other = await addPerson(environment, 'elsewhere@billing.example', 'member');
  const again = { email: email.toUpperCase(), password: PASSWORD };
  const refused = await send('POST', '', again, owner, other.account_id);
  expect(refused).toMatchObject({ status: 409, body: { error: { param: 'email' } } });
});

test('a new role holds from the next request on', async () => {
  const { id, email } = await add();
  const cookie = readCookie(await logIn(billing.url, email));
  const accounts = () => call({ url: billing.url, cookie }, 'GET', '/api/accounts');
  expect((await accounts()).status).toBe(403);
  expect((await send('PATCH', `/${id}`, { role: 'finance' })).body).toMatchObject({ id, role: 'finance' });
  expect((await accounts()).status).toBe(200);
});

test('who was removed is signed out', async () => {
  const { id, email } = await add();
  const cookie = readCookie(await logIn(billing.url, email));
  expect((await send('DELETE', `/${id}`)).status).toBe(204);
  expect((await call({ url: billing.url, cookie }, 'GET', '/api/auth/session')).status).toBe(401);
  expect((await send('DELETE', `/${id}`)).status).toBe(404);
});

test('who is disabled is signed out and stays out, until they are enabled', async () => {
  const { id, email } = await add();
  const cookie = readCookie(await logIn(billing.url, email));
  expect((await send('PATCH', `/${id}`, { status: 'disabled' })).body).toMatchObject({ status: 'disabled' });
  expect((await call({ url: billing.url, cookie }, 'GET', '/api/auth/session')).status).toBe(401);
  expect((await logIn(billing.url, email)).status).toBe(403);
  expect((await logIn(billing.url, email, 'a wrong password')).status).toBe(401);
  expect((await send('PATCH', `/${id}`, { status: 'active' })).status).toBe(200);
  expect((await logIn(billing.url, email)).status).toBe(200);
});

test('nobody disables themselves, nor the last owner who can sign in', async () => {
  const id = await ownerId();
  expect((await send('PATCH', `/${id}`, { status: 'disabled' })).status).toBe(409);
  const second = await add('owner');
  expect((await send('PATCH', `/${second.id}`, { status: 'disabled' })).status).toBe(200);
  expect((await send('PATCH', `/${id}`, { role: 'admin' })).status).toBe(409);
  expect((await send('DELETE', `/${second.id}`)).status).toBe(204);
});

test('the list tells when each was last seen', async () => {
  const { id, email } = await add();
  const before = Date.now();
  await logIn(billing.url, email);
  const { items } = (await send<{ items: User[] }>('GET', '')).body;
  const seen = items.find((item) => item.id === id)?.['last_seen_at'];
  expect(Date.parse(String(seen))).toBeGreaterThan(before - 1_000);
});

test('a new password replaces the old one and ends its sessions', async () => {
  const { id, email } = await add();
  const cookie = readCookie(await logIn(billing.url, email));
  const password = 'quite another password';
  expect((await send('PUT', `/${id}/password`, { password })).status).toBe(204);
  expect((await call({ url: billing.url, cookie }, 'GET', '/api/auth/session')).status).toBe(401);
  expect((await logIn(billing.url, email)).status).toBe(401);
  expect((await logIn(billing.url, email, password)).status).toBe(200);
});

test('an admin can neither make, change, remove nor take over an owner', async () => {
  const id = await ownerId();
  const params = { email: 'crown@billing.example', password: PASSWORD, role: 'owner' };
  expect((await send('POST', '', params, admin)).status).toBe(403);
  expect((await send('PATCH', `/${id}`, { role: 'member' }, admin)).status).toBe(403);
  expect((await send('DELETE', `/${id}`, undefined, admin)).status).toBe(403);
  expect((await send('PUT', `/${id}/password`, { password: PASSWORD }, admin)).status).toBe(403);
  const person = await add();
  expect((await send('PATCH', `/${person.id}`, { role: 'owner' }, admin)).status).toBe(403);
  expect((await send('PATCH', `/${person.id}`, { role: 'admin' }, admin)).status).toBe(200);
});

test('the last owner stays one, until there is another', async () => {
  const id = await ownerId();
  expect((await send('PATCH', `/${id}`, { role: 'admin' })).status).toBe(409);
  expect((await send('DELETE', `/${id}`)).status).toBe(409);
  expect((await send('PATCH', `/${id}`, { role: 'owner' })).status).toBe(200);
  const second = await add('owner');
  expect((await send('PATCH', `/${second.id}`, { role: 'member' })).status).toBe(200);
});

test.each<[object, string]>([
  [{ email: 'no address' }, 'email'],
  [{ password: 'too short' }, 'password'],
  [{ password: 'x'.repeat(1_025) }, 'password'],
  [{ role: 'king' }, 'role'],
])('a person with %j is refused', async (params, param) => {
  const body = { email: 'refused@billing.example', password: PASSWORD, ...params };
  expect(await send('POST', '', body)).toMatchObject({ status: 400, body: { error: { param } } });
});

test('a person is found in their own account only', async () => {
  const { id } = await add();
  const other = await addPerson(environment, 'other@billing.example', 'member');
  for (const user of [id, 'x']) {
    expect((await send('PATCH', `/${user}`, { role: 'admin' }, owner, other.account_id)).status).toBe(404);
  }
  expect((await send('DELETE', `/${id}`, undefined, owner, other.account_id)).status).toBe(404);
});

test('members and finance have no say about people', async () => {
  const { id, email } = await add('finance');
  const cookie = readCookie(await logIn(billing.url, email));
  expect((await send('GET', '', undefined, cookie)).status).toBe(403);
  expect((await send('PATCH', `/${id}`, { role: 'owner' }, cookie)).status).toBe(403);
  expect((await send('PUT', `/${id}/password`, { password: PASSWORD }, cookie)).status).toBe(403);
  expect((await send('DELETE', `/${id}`, undefined, cookie)).status).toBe(403);
  expect((await send('POST', '', { email: 'x@billing.example', password: PASSWORD }, cookie)).status).toBe(
    403,
  );
});
