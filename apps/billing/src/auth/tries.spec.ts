import { freePort, OIDC_CLIENT, startRedis, startTestProvider, type TestProvider } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { TestBrowser, totpCode } from '../../testing/factors.ts';
import { type Ground, PASSWORD, startGround } from '../../testing/ground.ts';
import { addPerson, cookieNamed, cookieOf, signIn } from '../../testing/people.ts';

// Guesses come over HTTP from whatever addresses a trusted proxy names; Redis counts them for two replicas.
const SECRET = 'the secret that all replicas of this test share';

let ground: Ground;
let provider: TestProvider;
let billing: RunningBilling;
let replica: RunningBilling;
beforeAll(async () => {
  ground = await startGround();
  provider = await startTestProvider();
  const port = await freePort();
  const env = {
    TRUSTED_PROXIES: '127.0.0.1',
    SESSION_SECRET: SECRET,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OIDC_CLIENT.id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    PUBLIC_URL: `http://localhost:${port}`,
  };
  billing = await startBillingOn(ground, { ...env, PORT: String(port) });
  replica = await startBillingOn(ground, env);
});
afterAll(async () => {
  await billing.stop();
  await replica.stop();
  await provider.stop();
  await ground.stop();
});
beforeEach(() => ground.redis.flushall());

let count = 0;
const person = async () => (await addPerson(ground, `tries${(count += 1)}@billing.example`, 'member')).email;

interface Try {
  readonly from: string;
  readonly cookie?: string;
  readonly at?: RunningBilling;
}
const send = (path: string, { from, cookie = '', at = billing }: Try, body?: object): Promise<Response> =>
  fetch(`${at.url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: {
      cookie,
      'x-forwarded-for': from,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const logIn = (email: string, at: Try, password = 'a guess') => send('/auth/login', at, { email, password });

let strangers = 0;
/** An address that nobody came from before, as a botnet has many. */
const stranger = (): string => `198.18.${Math.floor((strangers += 1) / 250)}.${strangers % 250}`;

/** What anybody may try, by a try that is no good, with another name each time where one is named. */
const KINDS: Readonly<Record<string, (from: string, cookie: string) => Promise<Response>>> = {
  'to sign in': (from) => logIn(`nobody${(count += 1)}@billing.example`, { from }),
  'to sign in with a passkey': (from) => send('/auth/passkey/options', { from }, {}),
  'to come back from the provider': async (from) => {
    const cookie = cookieOf(await send('/auth/oidc/start', { from: stranger() }, {}));
    return send('/auth/oidc/callback?code=x&state=y', { from, cookie });
  },
  'to look at a link': (from) => send('/links/look', { from }, { token: 'x'.repeat(43) }),
  'to use a link': (from) => send('/links/use', { from }, { token: 'x'.repeat(43), password: PASSWORD }),
  'to set up': (from) =>
    send(
      '/setup',
      { from },
      { account_name: 'A', name: 'B', email: 'a@b.example', password: PASSWORD, token: 'x'.repeat(43) },
    ),
  'to redeem a code': (from, cookie) =>
    send('/redemption/redeem', { from, cookie }, { code: '0000-0000-0000-0000' }),
};
const isRefused = (answer: Response): boolean =>
  answer.status === 429 || answer.headers.get('location') === '/sign-in?problem=busy';

test.each(Object.keys(KINDS))(
  'tries %s count for the client: an IPv4 address, a /64 of IPv6',
  async (kind) => {
    const attempt = async (from: string) => {
      // Whoever redeems is signed in: another person each time.
      const cookie = kind === 'to redeem a code' ? await signIn(billing.url, await person()) : '';
      return isRefused((await KINDS[kind]?.(from, cookie)) ?? new Response());
    };
    for (let each = 0; each < 10; each += 1)
      expect([each, await attempt(`2001:db8:1:2:${each}::${each}`)]).toEqual([each, false]);
    expect(await attempt('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(true);
    expect(await attempt('2001:db8:1:3::1')).toBe(false);
    for (let each = 0; each < 10; each += 1) await attempt('192.0.2.1');
    expect(await attempt('::ffff:192.0.2.1')).toBe(true);
    expect(await attempt('192.0.2.2')).toBe(false);
  },
);

test('whether this is to be set up may be asked more often, and not for ever', async () => {
  const ask = async (from: string) => (await send('/setup', { from })).status;
  const statuses = await Promise.all(Array.from({ length: 120 }, (_, each) => ask(`2001:db8::${each}`)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect([await ask('2001:db8::ffff'), await ask('2001:db8:0:1::')]).toEqual([429, 200]);
});

test('what a client says of its address counts from trusted proxies only', async () => {
  const alone = await startBillingOn(ground);
  const statuses = [];
  for (let each = 0; each < 11; each += 1)
    statuses.push((await logIn('nobody@billing.example', { from: stranger(), at: alone })).status);
  await alone.stop();
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
  expect(statuses[10]).toBe(429);
});

test('a client that has no tries left takes none of the person whom it names', async () => {
  const email = await person();
  for (let each = 0; each < 80; each += 1) await logIn(email, { from: '192.0.2.7' });
  expect((await logIn(email, { from: stranger() }, PASSWORD)).status).toBe(200);
});

test('strangers from everywhere have sixty tries a minute at one person, whose own browser goes on', async () => {
  const email = await person();
  const known = cookieNamed(await logIn(email, { from: stranger() }, PASSWORD), 'tollgate_device');
  await ground.redis.flushall();
  const begunAt = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, each) =>
      logIn(each % 2 ? email : email.toUpperCase(), { from: stranger() }),
    ),
  );
  // One more comes back with each second.
  const most = 60 + Math.ceil((Date.now() - begunAt) / 1_000);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(60);
  expect(answers.length - refused.length).toBeLessThanOrEqual(most);
  const seconds = Number(refused[0]?.headers.get('retry-after'));
  expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true);
  expect(await refused[0]?.json()).toMatchObject({ error: { type: 'rate_limit_error' } });

  for (const at of [billing, replica])
    expect((await logIn(email, { from: stranger(), cookie: known, at }, PASSWORD)).status).toBe(200);
  // Behind one address with those who guess, too.
  for (let each = 0; each < 10; each += 1) await logIn('nobody@billing.example', { from: '192.0.2.8' });
  expect((await logIn(email, { from: '192.0.2.8' }, PASSWORD)).status).toBe(429);
  expect((await logIn(email, { from: '192.0.2.8', cookie: known }, PASSWORD)).status).toBe(200);
});

test('a known browser has ten tries itself', async () => {
  const email = await person();
  const cookie = cookieNamed(await logIn(email, { from: stranger() }, PASSWORD), 'tollgate_device');
  for (let each = 0; each < 10; each += 1)
    expect((await logIn(email, { from: stranger(), cookie })).status).toBe(401);
  expect((await logIn(email, { from: stranger(), cookie }, PASSWORD)).status).toBe(429);
  expect((await logIn(email, { from: stranger() }, PASSWORD)).status).toBe(200);
});

test('who knows the password uses up no codes of the browser that the person has', async () => {
  const email = await person();
  const browser = new TestBrowser(billing.url);
  await browser.password(email);
  const { secret } = await browser.addTotp();
  await browser.password(email);
  expect((await browser.send('POST', '/api/auth/second-factor', { code: totpCode(secret) })).status).toBe(
    200,
  );
  const device = browser.cookie.split('; ').find((each) => each.startsWith('tollgate_device=')) ?? '';
  expect(device).not.toBe('');
  const guess = async (from: string, cookie: string) => {
    const begun = cookieOf(await logIn(email, { from, cookie }, PASSWORD));
    const answer = await send(
      '/auth/second-factor',
      { from, cookie: `${begun}; ${cookie}` },
      { code: 'no-such-code' },
    );
    return answer.status;
  };
  for (let each = 0; each < 10; each += 1) expect(await guess(stranger(), '')).toBe(400);
  expect(await guess(stranger(), '')).toBe(429);
  expect(await guess(stranger(), device)).toBe(400);
});

test('codes count for the client, whoever they are of', async () => {
  const from = '2001:db8:5:5::';
  const statuses: number[] = [];
  for (let each = 0; each < 11; each += 1) {
    const email = await person();
    const browser = new TestBrowser(billing.url);
    await browser.password(email);
    await browser.addTotp();
    const cookie = cookieNamed(await logIn(email, { from: stranger() }, PASSWORD), 'tollgate_session');
    const code = { code: 'no-such-code' };
    statuses.push((await send('/auth/second-factor', { from: `${from}${each}`, cookie }, code)).status);
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429]);
});

test('while Redis is away a replica counts its own', async () => {
  const redisServer = await startRedis();
  const at = await startBillingOn({ ...ground, redisServer }, { TRUSTED_PROXIES: '127.0.0.1' });
  await redisServer.stop();
  const statuses: number[] = [];
  for (let each = 0; each < 11; each += 1)
    statuses.push((await logIn('nobody@billing.example', { from: '192.0.2.9', at })).status);
  await at.stop();
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
});
