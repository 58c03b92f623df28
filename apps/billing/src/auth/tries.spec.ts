import { freePort, OIDC_CLIENT, startRedis, startTestProvider, type TestProvider } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { TestBrowser } from '../../testing/factors.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, cookieNamed, readCookie, signIn } from '../../testing/people.ts';

// Guesses come over HTTP from whatever addresses a trusted proxy names; Redis counts them for two replicas.
const SECRET = 'the secret that all replicas of this test share';

let environment: TestEnvironment;
let provider: TestProvider;
let billing: RunningBilling;
let replica: RunningBilling;
beforeAll(async () => {
  environment = await startTestEnvironment();
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
  billing = await startBillingOn(environment, { ...env, PORT: String(port) });
  replica = await startBillingOn(environment, env);
});
afterAll(async () => {
  await billing.stop();
  await replica.stop();
  await provider.stop();
  await environment.stop();
});
beforeEach(() => environment.redis.flushall());

let count = 0;
const person = async () =>
  (await addPerson(environment, `tries${(count += 1)}@billing.example`, 'member')).email;

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
    const cookie = readCookie(await send('/auth/oidc/start', { from: stranger() }, {}));
    return send('/auth/oidc/callback?code=x&state=y', { from, cookie });
  },
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

/** Sends twice as many tries at once as a minute allows, and so many are let pass; more only as time brings them back. */
async function expectPassed(
  perMinute: number,
  attempt: (index: number) => Promise<Response>,
): Promise<Response[]> {
  const begunAt = Date.now();
  const answers = await Promise.all(Array.from({ length: 2 * perMinute }, (_, index) => attempt(index)));
  const back = Math.ceil(((Date.now() - begunAt) * perMinute) / 60_000);
  const refused = answers.filter(isRefused);
  expect(refused.length).toBeLessThanOrEqual(perMinute);
  expect(refused.length).toBeGreaterThanOrEqual(perMinute - back);
  return refused;
}

test.each(Object.keys(KINDS))(
  'tries %s count for the client: an IPv4 address, a /64 of IPv6',
  async (kind) => {
    // Whoever redeems is signed in: so many people that none of them has used up their own tries.
    const people = kind === 'to redeem a code' ? await Promise.all(Array.from({ length: 5 }, person)) : [];
    const cookies = await Promise.all(people.map((email) => signIn(billing.url, email)));
    const attempt = (from: string, index = 0) =>
      KINDS[kind]?.(from, cookies[index % cookies.length] ?? '') ?? Promise.reject(new Error(kind));
    await expectPassed(10, (index) => attempt(`2001:db8:1:2:${index}::${index}`, index));
    expect(isRefused(await attempt('2001:db8:1:3::1', 1))).toBe(false);
    await expectPassed(10, (index) => attempt(`${index % 2 ? '' : '::ffff:'}192.0.2.1`, index));
    expect(isRefused(await attempt('192.0.2.2', 2))).toBe(false);
  },
);

const look = (from: string) => send('/links/look', { from }, { token: 'x'.repeat(43) });

test.each([
  ['whether this is to be set up', (from: string) => send('/setup', { from })],
  ['what a link is for', look],
])('%s may be asked more often, and not for ever', async (_what, ask) => {
  await expectPassed(120, (index) => ask(`2001:db8::${index}`));
  expect(isRefused(await ask('2001:db8:0:1::'))).toBe(false);
});

test('whoever opened many links, as an office behind one address does, may still use one', async () => {
  for (let opened = 0; opened < 20; opened += 1) expect(isRefused(await look('192.0.2.9'))).toBe(false);
  const used = await send('/links/use', { from: '192.0.2.9' }, { token: 'x'.repeat(43), password: PASSWORD });
  expect(isRefused(used)).toBe(false);
});

test('what a client says of its address counts from trusted proxies only', async () => {
  const alone = await startBillingOn(environment);
  await expectPassed(10, () => logIn('nobody@billing.example', { from: stranger(), at: alone }));
  await alone.stop();
});

test('a client that has no tries left takes none of the person whom it names', async () => {
  const email = await person();
  await Promise.all(Array.from({ length: 100 }, () => logIn(email, { from: '192.0.2.7' })));
  expect((await logIn(email, { from: stranger() }, PASSWORD)).status).toBe(200);
});

test('strangers from everywhere have sixty tries a minute at one person, whose own browser goes on', async () => {
  const email = await person();
  const known = cookieNamed(await logIn(email, { from: stranger() }, PASSWORD), 'tollgate_device');
  await environment.redis.flushall();
  const [refused] = await expectPassed(60, (index) =>
    logIn(index % 2 ? email : email.toUpperCase(), { from: stranger() }),
  );
  const seconds = Number(refused?.headers.get('retry-after'));
  expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true);
  expect(await refused?.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
  for (const at of [billing, replica])
    expect((await logIn(email, { from: stranger(), cookie: known, at }, PASSWORD)).status).toBe(200);
  // Behind one address with those who guess, too.
  await expectPassed(10, () => logIn('nobody@billing.example', { from: '192.0.2.8' }));
  expect((await logIn(email, { from: '192.0.2.8', cookie: known }, PASSWORD)).status).toBe(200);
});

test('a known browser has ten tries itself', async () => {
  const email = await person();
  const cookie = cookieNamed(await logIn(email, { from: stranger() }, PASSWORD), 'tollgate_device');
  await expectPassed(10, () => logIn(email, { from: stranger(), cookie }));
  expect((await logIn(email, { from: stranger() }, PASSWORD)).status).toBe(200);
});

/** Somebody with an app, and their cookies between the password and the code. */
async function atSecondStep() {
  const email = await person();
  const browser = new TestBrowser(billing.url);
  await browser.password(email);
  await browser.addTotp();
  const begun = await logIn(email, { from: stranger() }, PASSWORD);
  return {
    step: cookieNamed(begun, 'tollgate_session'),
    device: browser.cookie.split('; ').find((each) => each.startsWith('tollgate_device=')) ?? '',
  };
}
const guessCode = (from: string, cookie: string) =>
  send('/auth/second-factor', { from, cookie }, { code: 'no-such-code' });

test('who knows the password uses up no codes of the browser that the person has', async () => {
  const { step, device } = await atSecondStep();
  expect(device).not.toBe('');
  await expectPassed(10, () => guessCode(stranger(), step));
  expect((await guessCode(stranger(), `${step}; ${device}`)).status).toBe(400);
});

test('codes count for the client, whoever they are of', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, atSecondStep));
  await expectPassed(10, (index) => guessCode(`2001:db8:5:5::${index}`, people[index % 4]?.step ?? ''));
  expect((await guessCode('2001:db8:5:6::', people[0]?.step ?? '')).status).toBe(400);
});

test('while Redis is away a replica counts its own', async () => {
  const redisServer = await startRedis();
  const at = await startBillingOn({ ...environment, redisServer }, { TRUSTED_PROXIES: '127.0.0.1' });
  await redisServer.stop();
  await expectPassed(10, () => logIn('nobody@billing.example', { from: '192.0.2.9', at }));
  await at.stop();
});
