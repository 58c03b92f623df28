import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, readCookie, logIn, signIn } from '../../testing/people.ts';

interface Link {
  readonly id: string;
  readonly token: string;
  readonly path: string;
}

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

const send = <T = Link>(method: string, path: string, body?: object, cookie = owner) =>
  call<T>({ url: billing.url, cookie }, method, `/api/accounts/${accountId}${path}`, body);
const invite = (email: string, role = 'member', cookie = owner) =>
  send('POST', '/invites', { email, role }, cookie);
let clients = 0;
/** Every call comes from a client of its own, so that tests do not use up each other's tries. */
const atDoor = (what: 'look' | 'use', body: object, address = `198.51.100.${(clients += 1)}`) =>
  fetch(`${billing.url}/api/links/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  });
const open = async () => (await send<{ items: { email: string }[] }>('GET', '/invites')).body.items;
const late = (id: string) =>
  environment.database.query('UPDATE billing.one_time_link SET expires_at = now() WHERE id = $1', [id]);

test('who is invited sees to what, sets a password, and is signed in with the role that was given', async () => {
  const { status, body } = await invite('Grace@billing.example', 'finance');
  expect(status).toBe(201);
  expect(body.path).toBe(`/invite#${body.token}`);
  const seen = await atDoor('look', { token: body.token });
  expect(await seen.json()).toEqual({
    kind: 'invite',
    email: 'Grace@billing.example',
    role: 'finance',
    account_name: 'First account',
    invited_by: environment.first.email,
    expires_at: expect.any(String),
  });
  const used = await atDoor('use', { token: body.token, name: 'Grace', password: PASSWORD });
  expect(await used.json()).toMatchObject({ account_id: accountId, role: 'finance' });
  const me = await call({ url: billing.url, cookie: readCookie(used) }, 'GET', '/api/auth/profile');
  expect(me.body).toMatchObject({ email: 'Grace@billing.example', name: 'Grace' });
  expect((await logIn(billing.url, 'grace@billing.example')).status).toBe(200);
  const again = await atDoor('use', { token: body.token, password: 'some other password' });
  expect(again.status).toBe(410);
});

test('two who use a link at once make one person', async () => {
  const { body } = await invite('twice@billing.example');
  const answers = await Promise.all(
    [1, 2, 3].map(() => atDoor('use', { token: body.token, password: PASSWORD })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
});

test('an invitation lasts seven days, is listed while it is open, and is taken back', async () => {
  const { body } = await invite('open@billing.example');
  const days = (Date.parse((await open())[0]?.['expires_at' as 'email'] ?? '') - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(7);
  expect((await open()).map(({ email }) => email)).toContain('open@billing.example');
  expect(JSON.stringify(await open())).not.toContain(body.token);
  expect((await send('DELETE', `/invites/${body.id}`)).status).toBe(204);
  expect((await send('DELETE', `/invites/${body.id}`)).status).toBe(404);
  expect((await open()).map(({ email }) => email)).not.toContain('open@billing.example');
  expect((await atDoor('look', { token: body.token })).status).toBe(410);
});

test('a link that is too old, unknown, or replaced by a newer one does nothing', async () => {
  const { body: first } = await invite('again@billing.example');
  const { body: second } = await invite('AGAIN@billing.example');
  expect((await atDoor('look', { token: first.token })).status).toBe(410);
  expect((await atDoor('look', { token: second.token })).status).toBe(200);
  await late(second.id);
  expect((await atDoor('use', { token: second.token, password: PASSWORD })).status).toBe(410);
  expect((await atDoor('look', { token: 'x'.repeat(43) })).status).toBe(404);
});

test('only the hash of a token is stored', async () => {
  const { body } = await invite('hashed@billing.example');
  const rows = await environment.database.query('SELECT * FROM billing.one_time_link');
  expect(JSON.stringify(rows)).not.toContain(body.token);
  const log = await environment.database.query('SELECT * FROM billing.audit_log');
  expect(JSON.stringify(log)).not.toContain(body.token);
});

test('only an owner invites owners, nobody invites who is here, and members invite nobody', async () => {
  expect((await invite('crown@billing.example', 'owner', admin)).status).toBe(403);
  const { body } = await invite('crown@billing.example', 'owner');
  expect((await send('DELETE', `/invites/${body.id}`, undefined, admin)).status).toBe(403);
  expect((await atDoor('look', { token: body.token })).status).toBe(200);
  expect(await invite(environment.first.email)).toMatchObject({
    status: 409,
    body: { error: { param: 'email' } },
  });
  await addPerson(environment, 'plain@billing.example', 'member');
  const member = await signIn(billing.url, 'plain@billing.example');
  expect((await invite('friend@billing.example', 'member', member)).status).toBe(403);
  expect((await send('GET', '/invites', undefined, member)).status).toBe(403);
});

test('a link sets a new password, ends the sessions before, and works once', async () => {
  const grace = await addPerson(environment, 'forgetful@billing.example', 'member');
  const before = await signIn(billing.url, grace.email);
  const of = `/api/accounts/${grace.account_id}/users/${grace.user_id}`;
  const { body } = await call<Link>({ url: billing.url, cookie: admin }, 'POST', `${of}/password-link`, {});
  const seen = (await (await atDoor('look', { token: body.token })).json()) as Record<string, unknown>;
  expect(seen).toMatchObject({ kind: 'reset', email: grace.email, role: null });
  expect((await logIn(billing.url, grace.email)).status).toBe(200);
  const password = 'not forgotten this time';
  const used = await atDoor('use', { token: body.token, password });
  expect(used.status).toBe(200);
  const isIn = async (cookie: string) =>
    (await call({ url: billing.url, cookie }, 'GET', '/api/auth/session')).status;
  expect([await isIn(before), await isIn(readCookie(used))]).toEqual([401, 200]);
  expect((await logIn(billing.url, grace.email)).status).toBe(401);
  expect((await logIn(billing.url, grace.email, password)).status).toBe(200);
  expect((await atDoor('use', { token: body.token, password })).status).toBe(410);
});

test('no link is made for who is disabled, and one that was made before does nothing', async () => {
  const { account_id, user_id } = await addPerson(environment, 'gone@billing.example', 'member');
  const of = `/api/accounts/${account_id}/users/${user_id}`;
  const at = { url: billing.url, cookie: owner };
  const { body } = await call<Link>(at, 'POST', `${of}/password-link`, {});
  await call(at, 'PATCH', of, { status: 'disabled' });
  expect((await call(at, 'POST', `${of}/password-link`, {})).status).toBe(409);
  expect((await atDoor('use', { token: body.token, password: PASSWORD })).status).toBe(410);
});

test('an admin takes back no invitation of an owner by inviting the same address', async () => {
  const address = 'chosen@billing.example';
  const { body: sent } = await invite(address, 'owner');
  const refused = await invite(address.toUpperCase(), 'member', admin);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'owners_only' } } });
  expect((await atDoor('look', { token: sent.token })).status).toBe(200);
  expect((await open()).map(({ email }) => email)).not.toContain(address.toUpperCase());

  await late(sent.id);
  const { status, body: second } = await invite(address, 'member', admin);
  expect(status).toBe(201);
  expect((await invite(address, 'finance', admin)).status).toBe(201);
  expect((await atDoor('look', { token: second.token })).status).toBe(410);
  const log = await environment.database.query(
    `SELECT object FROM billing.audit_log WHERE action = 'invite.revoke' AND object = ANY($1)`,
    [[sent.id, second.id].map((id) => `invite ${id}`)],
  );
  expect(log).toEqual([{ object: `invite ${second.id}` }]);
});

test('an admin makes no link for an owner', async () => {
  const { items } = (await send<{ items: { id: string; role: string }[] }>('GET', '/users')).body;
  const id = items.find(({ role }) => role === 'owner')?.id ?? '';
  expect((await send('POST', `/users/${id}/password-link`, {}, admin)).status).toBe(403);
});

describe('a link has no more right than who made it', () => {
  const admins = async (email: string) => {
    const person = await addPerson(environment, email, 'admin');
    const session = await signIn(billing.url, email);
    const change = (body: object) =>
      call(
        { url: billing.url, cookie: owner },
        'PATCH',
        `/api/accounts/${person.account_id}/users/${person.user_id}`,
        body,
      );
    const remove = () =>
      call(
        { url: billing.url, cookie: owner },
        'DELETE',
        `/api/accounts/${person.account_id}/users/${person.user_id}`,
      );
    return { session, change, remove };
  };
  const tryLink = async (token: string) => {
    const [seen, used] = [
      await atDoor('look', { token }),
      await atDoor('use', { token, password: PASSWORD }),
    ];
    return [seen.status, used.status];
  };

  test('the invitation of an admin who is disabled, demoted or removed makes nobody', async () => {
    const ends = [
      ({ change }: Awaited<ReturnType<typeof admins>>) => change({ status: 'disabled' }),
      ({ change }: Awaited<ReturnType<typeof admins>>) => change({ role: 'member' }),
      ({ remove }: Awaited<ReturnType<typeof admins>>) => remove(),
    ];
    for (const [index, end] of ends.entries()) {
      const maker = await admins(`maker${index}@billing.example`);
      const { body } = await invite(`backdoor${index}@billing.example`, 'admin', maker.session);
      expect((await end(maker)).status).toBeLessThan(300);
      expect(await tryLink(body.token)).toEqual([410, 410]);
      expect((await open()).map(({ email }) => email)).not.toContain(`backdoor${index}@billing.example`);
    }
  });

  test('it is asked when the link is used, whatever ended the right', async () => {
    const maker = await admins('quiet@billing.example');
    const { body } = await invite('quietly@billing.example', 'admin', maker.session);
    await environment.database.query(
      `UPDATE billing.app_user SET role = 'finance' WHERE email = 'quiet@billing.example'`,
    );
    expect(await tryLink(body.token)).toEqual([410, 410]);
  });

  test('an admin makes no owner by a link for a person who became one', async () => {
    const person = await addPerson(environment, 'risen@billing.example', 'member');
    const path = `/api/accounts/${person.account_id}/users/${person.user_id}/password-link`;
    const { body } = await call<Link>({ url: billing.url, cookie: admin }, 'POST', path, {});
    await environment.database.query(`UPDATE billing.app_user SET role = 'owner' WHERE id = $1`, [
      person.user_id,
    ]);
    expect(await tryLink(body.token)).toEqual([410, 410]);
    await environment.database.query(`UPDATE billing.app_user SET role = 'member' WHERE id = $1`, [
      person.user_id,
    ]);
  });

  test('a password link ends with a change of the password, and when the person is disabled', async () => {
    const person = await addPerson(environment, 'linked@billing.example', 'member');
    const at = { url: billing.url, cookie: owner };
    const user = `/api/accounts/${person.account_id}/users/${person.user_id}`;
    const link = async () => (await call<Link>(at, 'POST', `${user}/password-link`, {})).body.token;
    const next = 'quite another long password';

    const before = await link();
    const self = { url: billing.url, cookie: await signIn(billing.url, person.email) };
    const own = await call(self, 'PUT', '/api/auth/password', { current_password: PASSWORD, password: next });
    expect(own.status).toBe(204);
    expect(await tryLink(before)).toEqual([410, 410]);

    const second = await link();
    expect((await call(at, 'PUT', `${user}/password`, { password: `${next} again` })).status).toBe(204);
    expect(await tryLink(second)).toEqual([410, 410]);

    const third = await link();
    await call(at, 'PATCH', user, { status: 'disabled' });
    await call(at, 'PATCH', user, { status: 'active' });
    expect(await tryLink(third)).toEqual([410, 410]);
  });
});
