import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RateLimit } from '@tollgate/catalogue';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { OTHER_OPERATIONS, TASKS, UNIT_KINDS } from '@tollgate/vocabulary';
import { type Answer, call, GOOD } from '../call.ts';
import { admin, type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { MODELS } from '../realtime/realtime-tests.ts';
import { openRealtime } from '../realtime/realtime-client.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { sendTask, TASK_FEATURES } from '../vendor-bill/task-features.ts';

// Limits of the client's address, of every key and of a route hold for everybody: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-dimensions-'));
/** The name of a group, its model, and the upstream that serves it. */
const NAME = 'limited';
let stack: RunningStack;
let at: Pick<TestStack, 'baseUrl' | 'cookie' | 'gatewayUrls'>;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    env: async (service): Promise<Record<string, string>> =>
      service.startsWith('gateway') ? { PUBLIC_REQUESTS_PER_MINUTE: '100000' } : {},
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  await setUpstream({});
  await setModel({});
  await setGroup({});
  await publish('pools/limited?before=simulated', {
    groups: [NAME],
    models: [NAME],
    members: [{ upstream: NAME }],
  });
}, 120_000);

afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Changes the catalogue, and waits until every gateway has the change. */
async function publish(
  path: 'limits' | `${'groups' | 'models' | 'pools' | 'upstreams'}/${string}`,
  body: object,
): Promise<void> {
  const { version } = await admin(at, 'PUT', `/api/catalogue/${path}`, body);
  for (const url of at.gatewayUrls)
    await waitFor(
      async () => Number((await call(`${url}/api/status`)).json?.['data']?.['pricing_version']) >= version,
      `version ${version} at ${url}`,
    );
}

const setUpstream = (limits: RateLimit, ofCredential: RateLimit = {}) =>
  publish(`upstreams/${NAME}`, {
    base_url: stack.simulatorUrl,
    protocols: ['openai-chat'],
    credentials: [{ name: 'a', secret: 'simulator-credential', limits: ofCredential }],
    allow_private_addresses: true,
    limits,
  });
const setModel = (limits: RateLimit) =>
  publish(`models/${NAME}`, { vendor: 'openai', prices: { input: 1_000, output: 1_000 }, limits });
const setGroup = (limits: RateLimit) => publish(`groups/${NAME}`, { ratio: '1', models: [NAME], limits });
const setDeployment = (limits: { client?: RateLimit; key?: RateLimit; route?: object }) =>
  publish('limits', { client: {}, key: {}, route: {}, ...limits });
const makeAccount = async (limits: RateLimit) =>
  (await admin(at, 'POST', '/api/accounts', { name: 'Limited', mode: 'postpaid', limits })).id;

/** Where a limit is set, and what a key is made with after that. */
const PLACES: Readonly<Record<string, (limits: RateLimit) => Promise<object | void>>> = {
  'your address': (limits) => setDeployment({ client: limits }),
  'this API key': (limits) => Promise.resolve({ limits }),
  'this API key, by default': (limits) => setDeployment({ key: limits }),
  'this account': async (limits) => ({ account_id: await makeAccount(limits) }),
  'the group of this API key': setGroup,
  'this model': setModel,
  'this endpoint': (limits) => setDeployment({ route: { 'openai-chat': limits } }),
  'the upstream': (limits) => setUpstream(limits),
  'the credential of the upstream': (limits) => setUpstream({}, limits),
};

/** What a refusal says. Limits of upstreams are nobody's business. */
const words = (place: string, figure: string): string =>
  place.includes('upstream')
    ? 'The upstream of this model is at its limit'
    : `${figure} for ${place.split(',')[0]}`;

const ask = (n: number, key: string, script: object = {}, signal?: AbortSignal): Promise<Answer> =>
  call(`${at.gatewayUrls[n % 2] ?? at.baseUrl}${GOOD.chat.path}`, {
    headers: { authorization: `Bearer ${key}`, 'x-sim-script': JSON.stringify(script) },
    body: { ...GOOD.chat.body, model: NAME },
    ...(signal ? { signal } : {}),
  });
const messageOf = ({ json }: Answer | undefined = {} as Answer) => json?.['error']?.['message'];

describe.each(Object.keys(PLACES))('a limit of %s', (place) => {
  const keyWith = async (limits: RateLimit): Promise<string> => {
    const terms = await PLACES[place]?.(limits);
    return (await makeKey(at, { group: NAME, ...terms })).key;
  };
  afterEach(() => PLACES[place]?.({}));

  test('requests a minute: so many of ten at two gateways are answered', async () => {
    const key = await keyWith({ requests_per_minute: 3 });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(200),
      ...Array(7).fill(429),
    ]);
    const refused = answers.find(({ status }) => status === 429);
    expect(messageOf(refused)).toContain(words(place, '3 requests per minute'));
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('tokens a minute: what one gateway answered is counted at the other, as it really was', async () => {
    const key = await keyWith({ tokens_per_minute: 8_000 });
    expect((await ask(0, key, { usage: { input: 100, output: 8_100 } })).status).toBe(200);
    const refused = await waitFor(async () => {
      const answer = await ask(1, key);
      return answer.status === 429 && answer;
    }, 'the correction of the estimate');
    expect(messageOf(refused)).toContain(words(place, '8000 tokens per minute'));
  });

  test('requests at once: one at a gateway leaves no room at the other, until it ends', async () => {
    const key = await keyWith({ concurrent_requests: 1 });
    const leaving = new AbortController();
    /** Asked again where a question of the other gateway was in the way. */
    const askSlowly = async (): Promise<string> => {
      const { status } = await ask(0, key, { first_delay_ms: 60_000 }, leaving.signal);
      return status === 429 ? askSlowly() : `answered ${status}`;
    };
    const slow = askSlowly().catch((error: Error) => error.name);
    const refused = await waitFor(async () => {
      const answer = await ask(1, key);
      return answer.status === 429 && answer;
    }, 'the one under way');
    expect(messageOf(refused)).toContain(words(place, '1 requests at once'));
    leaving.abort();
    expect(await slow).toBe('AbortError');
    await waitFor(async () => (await ask(1, key)).status === 200, 'the room');
  });
});

describe('operations beside conversations', () => {
  const UNITS: ReadonlySet<string> = new Set(UNIT_KINDS);
  const NAMES = Object.keys(TASK_FEATURES);
  /** Of pictures as many as are drawn; else what the vendor charges for; of what nobody charges for, requests. */
  const limitOf = (name: string): { readonly limits: RateLimit; readonly words: string } => {
    const { task, shows = [] } = TASK_FEATURES[name] ?? {};
    const kind = task === 'draw' ? 'images' : shows.find((each) => UNITS.has(each));
    if (kind) return { limits: { units_per_minute: { [kind]: 1 } }, words: `1 ${kind.replaceAll('_', ' ')}` };
    if (task === 'moderate') return { limits: { requests_per_minute: 1 }, words: '1 requests' };
    return { limits: { tokens_per_minute: 5 }, words: '5 tokens' };
  };
  let made: Awaited<ReturnType<typeof makeTaskModels>>;
  let open: Awaited<ReturnType<typeof makeTaskModels>>;
  beforeAll(async () => {
    const everywhere = { ...stack, home, cookie: at.cookie };
    const limited = NAMES.map((name) => {
      const feature = TASK_FEATURES[name] as (typeof TASK_FEATURES)[string];
      return [name, { ...feature, model: { ...feature.model, limits: limitOf(name).limits } }];
    });
    made = await makeTaskModels(everywhere, stack.simulatorUrl, Object.fromEntries(limited));
    open = await makeTaskModels(everywhere, stack.simulatorUrl, { ...TASK_FEATURES, ...MODELS });
  }, 60_000);
  afterAll(() => setDeployment({}));

  const send = (name: string, of: { key: string; names: Readonly<Record<string, string>> }, n: number) =>
    sendTask(at.gatewayUrls[n % 2] ?? at.baseUrl, name, {
      key: of.key,
      model: of.names[name] ?? '',
      mark: 'so many words as no limit of five tokens has',
      streams: false,
    });

  test.each(NAMES)('%s: a limit of what it uses holds over all gateways', async (name) => {
    expect((await send(name, made, 0)).status).toBe(200);
    const refused = await waitFor(async () => {
      const answer = await send(name, made, 1);
      return answer.status === 429 && answer;
    }, 'what the first one used');
    expect(refused.text).toContain(`${limitOf(name).words} per minute for this model`);
  });

  test.each(['this API key', 'this API key, by default', 'this account'])(
    '%s: a limit of units holds over all gateways',
    async (place) => {
      const limits = { units_per_minute: { images: 1 } };
      const terms = (await PLACES[place]?.(limits)) as { account_id?: string } | undefined;
      const { key } = await makeKey(at, { group: open.group, ...terms });
      const draw = (n: number) => send('painter', { key, names: open.names }, n);
      const [first, second] = [await draw(0), await draw(1)];
      await PLACES[place]?.({});
      expect([first.status, second.status]).toEqual([200, 429]);
      expect(second.text).toContain(`1 images per minute for ${place.split(',')[0]}`);
      // What is no picture goes on.
      expect((await send('completion', { key, names: open.names }, 1)).status).toBe(200);
    },
  );

  test('searches that only an answer tells keep those waiting who may search, and nobody else', async () => {
    const everywhere = { ...stack, home, cookie: at.cookie };
    const { key, names } = await makeTaskModels(everywhere, stack.simulatorUrl, {
      searcher: {
        model: {
          prices: { input: 1_000, output: 1_000 },
          unit_prices: { searches: 1_000_000 },
          features: { web_search: 'priced' },
          max_output_tokens: 100,
          limits: { units_per_minute: { searches: 2 } },
        },
        upstream: { protocols: ['openai-responses'] },
        atVendor: { per_million: {} },
      },
    });
    const converse = (tools: readonly object[]) =>
      call(`${at.baseUrl}/v1/responses`, {
        headers: { authorization: `Bearer ${key}`, 'x-sim-script': JSON.stringify({ searches: 3 }) },
        body: { model: names.searcher, input: 'Hello', tools, max_tool_calls: 5 },
      });
    const search = () => converse([{ type: 'web_search' }]);
    expect(await search()).toMatchObject({ status: 200, text: expect.stringContaining('Hello') });
    const refused = await waitFor(async () => {
      const answer = await search();
      return answer.status === 429 && answer;
    }, 'what the first one searched');
    expect(messageOf(refused)).toContain('2 searches per minute for this model');
    expect((await converse([])).status).toBe(200);
  });

  test('each has a limit of its own over all callers, which is none of conversations', async () => {
    const routes = OTHER_OPERATIONS.map((route) => [route, { requests_per_minute: 1 }]);
    await setDeployment({ route: Object.fromEntries(routes) });
    for (const task of TASKS) {
      const name = NAMES.find((each) => TASK_FEATURES[each]?.task === task) ?? '';
      const [first, second] = [await send(name, open, 0), await send(name, open, 1)];
      expect([task, first.status, second.status]).toEqual([task, 200, 429]);
      expect(second.text).toContain('1 requests per minute for this endpoint');
    }
    const { key } = await makeKey(at, { group: NAME });
    expect([(await ask(0, key)).status, (await ask(1, key)).status]).toEqual([200, 200]);
    const session = await openRealtime(at.baseUrl, { key: open.key, model: open.names['voice'] ?? '' });
    expect((await session.ask('Hello')).response?.status).toBe('completed');
    expect((await session.ask('Hello')).error?.message).toContain('1 requests per minute for this endpoint');
    session.socket.terminate();
  }, 60_000);
});
