import { freePort, OIDC_CLIENT, startTestProvider, type TestProvider } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { TestBrowser, totpCode } from '../../testing/factors.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, readCookie, signIn } from '../../testing/people.ts';

let environment: TestEnvironment;
let provider: TestProvider;
let billing: RunningBilling;
beforeAll(async () => {
  environment = await startTestEnvironment();
  provider = await startTestProvider();
  billing = await startWith({});
});
afterAll(async () => {
  await billing.stop();
  await provider.stop();
  await environment.stop();
});

async function startWith(env: Record<string, string>): Promise<RunningBilling> {
  const port = await freePort();
  return startBillingOn(environment, {
    PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OIDC_CLIENT.id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    OIDC_NAME: 'Acme',
    OIDC_ALLOWED_DOMAINS: 'billing.example, Other.example',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...env,
  });
}

let clients = 0;
const visit = (url: string, cookie = ''): Promise<Response> =>
  fetch(url, {
    redirect: 'manual',
    headers: { cookie, 'x-forwarded-for': `198.51.100.${(clients += 1)}` },
  });
/** As the console asks where to go. */
const depart = (
  at: RunningBilling,
  body: { next?: string; again?: 'yes' } = {},
  cookie = '',
): Promise<Response> =>
  fetch(`${at.url}/api/auth/oidc/start`, {
    method: 'POST',
    headers: {
      cookie,
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.100.${(clients += 1)}`,
    },
    body: JSON.stringify(body),
  });
const urlIn = async (answer: Response): Promise<string> => ((await answer.json()) as { url: string }).url;
const leadsTo = (answer: Response): string => answer.headers.get('location') ?? '';

interface Arrival {
  readonly path: string;
  readonly cookie: string;
}

/** To the provider and back, as a browser goes. */
async function goThrough(
  claims: Record<string, unknown>,
  { at = billing, next = '/usage', bend = (url: string) => url } = {},
): Promise<Arrival> {
  provider.says({ email_verified: true, ...claims });
  const start = await depart(at, { next });
  expect(start.status).toBe(200);
  const back = leadsTo(await visit(await urlIn(start)));
  const arrival = await visit(bend(back), readCookie(start));
  expect(arrival.status).toBe(302);
  return { path: leadsTo(arrival), cookie: readCookie(arrival) };
}
const whoIs = async ({ cookie }: Arrival, { url } = billing) =>
  (await call({ url, cookie }, 'GET', '/api/auth/session')).body;
const IN = '/sign-in?arrived=1&next=%2Fusage';

test('who is here already signs in by the address that the provider verified, and is known from then on', async () => {
  const ada = await addPerson(environment, 'ada@billing.example', 'finance');
  const first = await goThrough({ sub: 'ada', email: 'ADA@billing.example' });
  expect(first.path).toBe(IN);
  expect(await whoIs(first)).toEqual({ ...ada, time_zone: 'UTC' });
  const moved = await goThrough({ sub: 'ada', email: 'ada.married@other.example' });
  expect(await whoIs(moved)).toEqual({ ...ada, time_zone: 'UTC' });
});

test('an address that went to another person opens nothing of the one who had it', async () => {
  await addPerson(environment, 'shared@billing.example', 'owner');
  expect((await goThrough({ sub: 'one', email: 'shared@billing.example' })).path).toBe(IN);
  const other = await goThrough({ sub: 'two', email: 'shared@billing.example' });
  expect(other.path).toBe('/sign-in?problem=other-person');
  expect(await whoIs(other)).toMatchObject({ error: expect.any(Object) });
});

test.each([
  ['unverified', { email_verified: false, email: 'nobody@billing.example' }],
  ['unverified', { email: undefined }],
  ['domain', { email: 'ada@billing.example.evil.example' }],
  ['unknown', { email: 'nobody@billing.example' }],
])('%s: %j comes in to nothing', async (problem, claims) => {
  const arrival = await goThrough({ sub: 'nobody', ...claims });
  expect(arrival.path).toBe(`/sign-in?problem=${problem}`);
  expect(await whoIs(arrival)).toMatchObject({ error: { type: 'authentication_error' } });
});

test('who is disabled stays out', async () => {
  const { user_id, account_id, email } = await addPerson(environment, 'off@billing.example', 'member');
  const cookie = await signIn(billing.url, environment.first.email);
  const path = `/api/accounts/${account_id}/users/${user_id}`;
  await call({ url: billing.url, cookie }, 'PATCH', path, { status: 'disabled' });
  expect((await goThrough({ sub: 'off', email })).path).toBe('/sign-in?problem=disabled');
});

test('who is of a disabled account stays out', async () => {
  const { account_id, email } = await addPerson(environment, 'closed@billing.example', 'member');
  await environment.database.query(`UPDATE billing.account SET status = 'disabled' WHERE id = $1`, [
    account_id,
  ]);
  expect((await goThrough({ sub: 'closed', email })).path).toBe('/sign-in?problem=disabled');
  const open = await startWith({ OIDC_JOIN_ACCOUNT: account_id });
  const stranger = { sub: 'stranger', email: 'stranger@billing.example' };
  expect((await goThrough(stranger, { at: open })).path).toBe('/sign-in?problem=unknown');
  await open.stop();
});

test.each<[string, (maker: { id: string; account: string }) => Promise<unknown>]>([
  ['is disabled', ({ id }) => setUser(id, "status = 'disabled'")],
  ['is an admin no more', ({ id }) => setUser(id, "role = 'finance'")],
  [
    'is of an account that is disabled',
    ({ account }) =>
      environment.database.query(`UPDATE billing.account SET status = 'disabled' WHERE id = $1`, [account]),
  ],
  ['is removed', ({ id }) => environment.database.query('DELETE FROM billing.app_user WHERE id = $1', [id])],
])('the invitation of an admin who signs in here and %s invites nobody', async (what, end) => {
  const maker = await addPerson(environment, `maker-${what.length}@billing.example`, 'admin');
  const arrival = await goThrough({ sub: `maker-${what.length}`, email: maker.email });
  const invited = { email: `invited-${what.length}@billing.example`, role: 'admin' };
  const path = `/api/accounts/${environment.first.accountId}/invites`;
  const made = await call<{ token: string }>(
    { url: billing.url, cookie: arrival.cookie },
    'POST',
    path,
    invited,
  );
  expect(made.status).toBe(201);
  const look = async () =>
    (await call({ url: billing.url, cookie: '' }, 'POST', '/api/links/look', { token: made.body.token }))
      .status;
  expect(await look()).toBe(200);
  await end({ id: maker.user_id, account: maker.account_id });
  expect(await look()).toBe(410);
  const guest = await goThrough({ sub: `guest-${what.length}`, email: invited.email });
  expect(guest.path).toBe('/sign-in?problem=unknown');
});
const setUser = (id: string, set: string) =>
  environment.database.query(`UPDATE billing.app_user SET ${set} WHERE id = $1`, [id]);

describe('what the provider says of how and when', () => {
  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1_000) - minutes * 60;
  /** Somebody with an authenticator app, who has signed in here by the provider before. */
  async function withApp(sub: string) {
    const { email } = await addPerson(environment, `${sub}@billing.example`, 'member');
    const { cookie } = await goThrough({ sub, email });
    const browser = new TestBrowser(billing.url);
    browser.cookie = cookie;
    const { secret } = await browser.addTotp();
    return { sub, email, secret };
  }
  const STEP = '/sign-in?step=1&next=%2Fusage';

  test.each<[string, Record<string, unknown>, string]>([
    ['nothing', {}, STEP],
    ['a password', { amr: ['pwd'] }, STEP],
    ['several factors', { amr: ['pwd', 'mfa'] }, IN],
    ['several factors, as a class', { acr: 'mfa' }, IN],
    ['what only looks like it', { amr: ['mfa-less', 1, null], acr: ['x'] }, STEP],
    ['it where nobody reads it', { mfa: true, methods: ['mfa'] }, STEP],
  ])('%s', async (what, claims, path) => {
    const { sub, email, secret } = await withApp(`amr-${what.replaceAll(/\W/g, '')}`);
    const arrival = await goThrough({ sub, email, ...claims });
    expect(arrival.path).toBe(path);
    const who = await whoIs(arrival);
    expect(who['email']).toBe(path === IN ? email : undefined);
    if (path === IN) return;
    const code = { code: totpCode(secret) };
    const shown = await call(
      { url: billing.url, cookie: arrival.cookie },
      'POST',
      '/api/auth/second-factor',
      code,
    );
    expect(shown).toMatchObject({ status: 200, body: { email } });
  });

  test('of what counts only that which the settings name', async () => {
    const { sub, email } = await withApp('counts');
    const [hardware, none, all] = await Promise.all(
      ['hwk, urn:acme:gold', 'none', '*'].map((counting) => startWith({ OIDC_SECOND_FACTOR: counting })),
    );
    if (!hardware || !none || !all) throw new Error('not started');
    const pathAt = async (at: RunningBilling, claims: object) =>
      (await goThrough({ sub, email, ...claims }, { at })).path;
    expect(await pathAt(hardware, { amr: ['mfa'] })).toBe(STEP);
    expect(await pathAt(hardware, { amr: ['hwk'] })).toBe(IN);
    expect(await pathAt(hardware, { acr: 'urn:acme:gold' })).toBe(IN);
    expect(await pathAt(none, { amr: ['mfa', '*'] })).toBe(STEP);
    expect(await pathAt(all, {})).toBe(IN);
    for (const at of [hardware, none, all]) await at.stop();
  });

  test.each<[string, () => Record<string, unknown>, boolean]>([
    ['nothing of the time', () => ({}), true],
    ['a time within the last minutes', () => ({ auth_time: minutesAgo(14) }), true],
    ['a time before that', () => ({ auth_time: minutesAgo(16) }), false],
    ['a time of another form', () => ({ auth_time: String(minutesAgo(16)) }), true],
  ])('%s', async (what, claims, isFresh) => {
    const sub = `time-${what.replaceAll(/\W/g, '')}`;
    const { email } = await addPerson(environment, `${sub}@billing.example`, 'member');
    const arrival = await goThrough({ sub, email, ...claims() });
    if (what === 'a time of another form') return expect(arrival.path).toBe('/sign-in?problem=failed');
    const at = { url: billing.url, cookie: arrival.cookie };
    const { status, body } = await call(at, 'POST', '/api/auth/factors/totp', {});
    expect([status, body]).toMatchObject(
      isFresh ? [200, {}] : [403, { error: { code: 'reauthentication_required' } }],
    );
  });

  test('a time that is still to come makes no proof last longer', async () => {
    const { email, user_id } = await addPerson(environment, 'future@billing.example', 'member');
    await goThrough({ sub: 'future', email, auth_time: minutesAgo(-600) });
    const [row]: { ahead: boolean }[] = await environment.database.query(
      `SELECT (data->>'authenticatedAt')::numeric > extract(epoch FROM now()) * 1000 + 1000 AS ahead
       FROM billing.session WHERE user_id = $1`,
      [user_id],
    );
    expect(row).toEqual({ ahead: false });
  });

  test('who is to prove it again is asked for the password there, and an old sign-in does not pass for it', async () => {
    const { email } = await addPerson(environment, 'again@billing.example', 'member');
    const comeBack = async (claims: object) => {
      provider.says({ email_verified: true, sub: 'again', email, ...claims });
      const start = await depart(billing, { again: 'yes' });
      const url = await urlIn(start);
      const asked = new URL(url).searchParams;
      expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '300']);
      return leadsTo(await visit(leadsTo(await visit(url)), readCookie(start)));
    };
    expect(await comeBack({ auth_time: minutesAgo(0) })).toBe('/sign-in?arrived=1&next=%2F');
    expect(await comeBack({ auth_time: minutesAgo(30) })).toBe('/sign-in?problem=failed');
    expect(await comeBack({})).toBe('/sign-in?problem=failed');
  });
});

test('who was invited accepts it by signing in', async () => {
  const cookie = await signIn(billing.url, environment.first.email);
  const path = `/api/accounts/${environment.first.accountId}/invites`;
  const params = { email: 'grace@billing.example', role: 'admin' };
  await call({ url: billing.url, cookie }, 'POST', path, params);
  const arrival = await goThrough({ sub: 'grace', email: 'Grace@billing.example', name: 'Grace Hopper' });
  expect(await whoIs(arrival)).toMatchObject({ account_id: environment.first.accountId, role: 'admin' });
  const left = await call<{ items: unknown[] }>({ url: billing.url, cookie }, 'GET', path);
  expect(left.body.items).toEqual([]);
});

test('where the settings name an account, strangers of the domain join it as members', async () => {
  const open = await startWith({ OIDC_JOIN_ACCOUNT: environment.first.accountId });
  const arrival = await goThrough({ sub: 'new', email: 'new@billing.example' }, { at: open });
  expect(arrival.path).toBe(IN);
  const who = await whoIs(arrival, open);
  await open.stop();
  expect(who).toMatchObject({ account_id: environment.first.accountId, role: 'member' });
});

test.each<[string, (url: string) => string]>([
  ['another state', (url) => url.replace(/state=[^&]*/, 'state=other')],
  ['another code', (url) => url.replace(/code=[^&]*/, 'code=other')],
  ['no code', (url) => url.replace(/code=[^&]*&?/, '')],
])('a way back with %s comes in to nothing', async (_what, bend) => {
  const arrival = await goThrough({ sub: 'ada', email: 'ada@billing.example' }, { bend });
  expect(arrival.path).toBe('/sign-in?problem=failed');
});

test.each([
  ['another audience', { aud: 'another client' }],
  ['another nonce', { nonce: 'replayed' }],
  ['a time that is over', { iat: 1, exp: 2 }],
  ['another issuer', { iss: 'https://evil.example' }],
])('a token with %s comes in to nothing', async (_what, claims) => {
  const arrival = await goThrough({ sub: 'ada', email: 'ada@billing.example', ...claims });
  expect(arrival.path).toBe('/sign-in?problem=failed');
});

test('the way back without the way there, or in another browser, comes in to nothing', async () => {
  provider.says({ sub: 'ada', email: 'ada@billing.example', email_verified: true });
  const start = await depart(billing);
  const back = leadsTo(await visit(await urlIn(start)));
  expect(leadsTo(await visit(back))).toBe('/sign-in?problem=late');
});

test('whoever is signed in stays so until somebody has come back', async () => {
  const cookie = await signIn(billing.url, environment.first.email);
  const owner = { path: '', cookie };
  const start = await depart(billing, { next: '/usage' }, cookie);
  expect(await whoIs(owner)).toMatchObject({ email: environment.first.email });
  // Nothing comes back, or something that does not belong to it.
  await visit(`${billing.url}/api/auth/oidc/callback?code=made-up&state=made-up`, cookie);
  expect(await whoIs(owner)).toMatchObject({ email: environment.first.email });
  // That was the only answer to this departure.
  provider.says({ sub: 'ada', email: 'ada@billing.example', email_verified: true });
  const back = leadsTo(await visit(await urlIn(start)));
  expect(leadsTo(await visit(back, cookie))).toBe('/sign-in?problem=late');
  const second = await depart(billing, { next: '/usage' }, cookie);
  const arrival = await visit(leadsTo(await visit(await urlIn(second))), cookie);
  expect(leadsTo(arrival)).toBe(IN);
  expect(await whoIs({ path: '', cookie: readCookie(arrival) })).toMatchObject({
    email: 'ada@billing.example',
  });
  expect(await whoIs(owner)).toMatchObject({ error: { type: 'authentication_error' } });
});

test.each([
  ['GET', {}, 404],
  ['POST', { 'content-type': 'text/plain' }, 400],
  ['POST', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
  ['POST', { 'content-type': 'application/json', origin: 'https://evil.example' }, 403],
  ['POST', { 'content-type': 'application/json', origin: 'null' }, 403],
])('another site begins no sign-in: %s with %j', async (method, headers, status) => {
  const cookie = await signIn(billing.url, environment.first.email);
  const answer = await fetch(`${billing.url}/api/auth/oidc/start`, {
    method,
    redirect: 'manual',
    headers: { ...headers, cookie, 'x-forwarded-for': `198.51.100.${(clients += 1)}` },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('location')).toBeNull();
  expect(await whoIs({ path: '', cookie })).toMatchObject({ email: environment.first.email });
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'usage'])(
  'nobody is sent on to "%s"',
  async (next) => {
    expect((await depart(billing, { next })).status).toBe(400);
  },
);

test('the console is told what the provider is called, or that there is none', async () => {
  expect(await (await visit(`${billing.url}/api/auth/oidc`)).json()).toEqual({ enabled: true, name: 'Acme' });
  const without = await startBillingOn(environment);
  expect(await (await visit(`${without.url}/api/auth/oidc`)).json()).toEqual({ enabled: false, name: null });
  expect((await depart(without)).status).toBe(404);
  await without.stop();
});

test('a provider that is set by half, or does not answer, is told', async () => {
  await expect(startBillingOn(environment, { OIDC_ISSUER: provider.issuer })).rejects.toThrow(
    /OIDC_CLIENT_ID/,
  );
  const away = await startWith({ OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` });
  const answer = await depart(away);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    error: { message: 'Your provider does not answer. Try again, or use your password.' },
  });
  await away.stop();
});

test('a token that the provider did not sign comes in to nothing', async () => {
  provider.forge();
  const arrival = await goThrough({ sub: 'ada', email: 'ada@billing.example' });
  expect(arrival.path).toBe('/sign-in?problem=failed');
});
