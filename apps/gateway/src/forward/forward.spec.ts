import { freePort, waitFor } from '@tollgate/harness';
import type { Payload } from '../body/payload.ts';
import {
  inTurn,
  createTestPayload,
  simulate,
  type Simulated,
  upstream,
  withTwoUpstreams,
} from '../../testing/forwarding.ts';

let one: Simulated;
let two: Simulated;
const { start, running, send, both } = withTwoUpstreams((first, second) => {
  [one, two] = [first, second];
});
/** Another gateway's word that an upstream is well again. */
const closedBy = (id: string) =>
  ({ id, state: 'closed', until: null, reason: 'it answers', at: Date.now(), by: 'another' }) as const;

test.each([
  ['an error of the upstream', { status: 500 }],
  ['an overload', { status: 529 }],
  ['a rate limit', { status: 429, retry_after_s: 30 }],
  ['a refused credential', { status: 401 }],
  ['a cut connection', { cut_before_headers: true }],
  ['an answer that is no answer', { stream: true, content_type: 'text/html' }],
])('after %s the next upstream answers', async (_what, script) => {
  await one.script(script);
  start({ upstreams: both(), pool: inTurn });
  expect(await send()).toBe('two as m');
});

test('an upstream that cannot be reached, and one that is too late, are passed over', async () => {
  await two.script({ hang: true });
  start({
    upstreams: [
      upstream('nowhere', `http://127.0.0.1:${await freePort()}`, ['a']),
      upstream('late', two.url, ['b'], { first_byte_timeout_ms: 100 }),
      upstream('one', one.url, ['c']),
    ],
    pool: {
      members: [{ upstream: 'nowhere' }, { upstream: 'late', priority: 1 }, { upstream: 'one', priority: 2 }],
    },
  });
  expect(await send()).toBe('one as m');
});

test('a stream whose headers come without a first byte is tried elsewhere', async () => {
  await one.script({ cut_after_chunks: 0 });
  start({ upstreams: both(), pool: inTurn });
  expect(await send({ stream: true })).toBe('two as m');
});

test('what a large body holds is not asked for once the request to its upstream is made: it was let go', async () => {
  const payload = createTestPayload({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] });
  let isUsed = false;
  let askedLate = 0;
  start({ upstreams: both(), pool: inTurn });
  const watched: Payload = {
    bytes: payload.bytes,
    get json() {
      if (isUsed) askedLate += 1;
      return payload.json;
    },
    upload: undefined,
    changed: (...of) => payload.changed(...of),
    take: (bytes) => payload.take(bytes),
    used: () => void (isUsed = true),
    letGo: () => payload.letGo(),
    [Symbol.dispose]: () => payload[Symbol.dispose](),
  };
  expect(await send({ payload: watched })).toBe('one as m');
  expect({ isUsed, askedLate }).toEqual({ isUsed: true, askedLate: 0 });
});

test('what the caller did wrong is said by the first upstream, and nobody else is asked', async () => {
  await one.script({ status: 400 });
  start({ upstreams: both(), pool: inTurn });
  const answer = await running().send();
  expect(answer).toMatchObject({ kind: 'answer', status: 400 });
  expect(await two.count()).toBe(0);
});

test.each([1, 2, 3])('a pool of %i attempts makes no more', async (attempts) => {
  await one.script({ status: 500 });
  start({
    upstreams: [upstream('one', one.url, ['a', 'b', 'c', 'd'])],
    pool: { members: [{ upstream: 'one' }], attempts, retry_percent: 100 },
  });
  expect(await send()).toBe('upstream_error');
  expect(await one.count()).toBe(attempts);
});

test('another upstream is asked before another credential of the one that failed', async () => {
  await one.script({ status: 500 });
  start({
    upstreams: [upstream('one', one.url, ['a', 'b', 'c']), upstream('two', two.url, ['d'])],
    pool: inTurn,
  });
  expect(await send()).toBe('two as m');
  expect(await one.count()).toBe(1);
});

test('a credential at its limit is left alone for exactly as long as it was told', async () => {
  await one.script({ status: 429, retry_after_s: 30 }, { credential: 'a' });
  start({
    upstreams: [upstream('one', one.url, ['a', 'b'])],
    pool: { members: [{ upstream: 'one' }], strategy: 'sticky-key' },
  });
  const target = running().stages[0]?.candidates[0]?.target;
  const limitedAt = await waitFor(async () => {
    const sentAt = performance.now();
    await send({ keyId: String(Math.random()) });
    return target?.availability(performance.now()) === 'cooling_down' ? sentAt : undefined;
  }, 'a request with the limited credential');
  const until = performance.now() + (target?.coolsDownMs(performance.now()) ?? 0);
  expect(until - limitedAt).toBeGreaterThanOrEqual(30_000);
  expect(until - performance.now()).toBeLessThanOrEqual(30_000);
  for (let index = 0; index < 20; index += 1) await send({ keyId: String(index) });
  expect(await one.count('a')).toBe(1);
  expect(target?.availability(until - 2)).toBe('cooling_down');
  expect(target?.availability(until + 2)).toBe('ready');
});

test('when all that is left cools down for long, the caller is told when to come back', async () => {
  await one.script({ status: 429, retry_after_s: 30 });
  start({ upstreams: [upstream('one', one.url, ['a'])], pool: { members: [{ upstream: 'one' }] } });
  await send();
  const refused = await running().send();
  if (refused?.kind !== 'failed') throw new Error('it must fail');
  expect(refused.error.kind).toBe('upstream_rate_limited');
  expect(refused.error.retryAfterMs).toBeGreaterThan(25_000);
  expect(refused.error.retryAfterMs).toBeLessThanOrEqual(30_000);
  expect(await one.count()).toBe(1);
});

test('a credential that is refused with 401 is not used again', async () => {
  await one.script({ status: 401 }, { credential: 'a' });
  start({
    upstreams: [upstream('one', one.url, ['a', 'b'])],
    pool: { members: [{ upstream: 'one' }], retry_percent: 100 },
  });
  for (let index = 0; index < 60; index += 1) expect(await send()).toBe('one as m');
  expect(await one.count('a')).toBe(1);
});

test('with every credential refused there is nothing left to ask', async () => {
  await one.script({ status: 401 });
  start({ upstreams: [upstream('one', one.url, ['a'])], pool: { members: [{ upstream: 'one' }] } });
  await send();
  expect(await send()).toBe('upstream_error');
  expect(await one.count()).toBe(1);
});

const spare = { members: [{ upstream: 'two' }] };

test('when all of a model fail, its fallback answers, under its own name there', async () => {
  await one.script({ status: 500 });
  start({ upstreams: both(), pool: { members: [{ upstream: 'one' }] }, spare });
  expect(await send()).toBe('two as spare');
  const [request] = await two.requests();
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ model: 'spare' });
});

test('a model with nobody ready is passed over, and asked all the same when nobody stands in', async () => {
  await one.script({ status: 401 });
  start({ upstreams: both(), pool: { members: [{ upstream: 'one' }] }, spare });
  expect(await send()).toBe('two as spare');
  expect(await send()).toBe('two as spare');
  expect(await one.count()).toBe(1);
});

test.each([0, 20, 100])(
  'with a budget of %i %% an outage adds no more requests than that',
  async (percent) => {
    await one.script({ status: 500 });
    await two.script({ status: 500 });
    start({
      upstreams: both(),
      pool: { members: [{ upstream: 'one' }, { upstream: 'two' }], attempts: 5, retry_percent: percent },
    });
    const callers = 200;
    for (let index = 0; index < callers; index += 20)
      await Promise.all(Array.from({ length: 20 }, () => send()));
    const sent = (await one.count()) + (await two.count());
    expect(sent).toBeGreaterThanOrEqual(callers);
    expect(sent).toBeLessThanOrEqual(callers * (1 + percent / 100));
  },
);

test.each([
  ['one of two fails every request', 1],
  ['two of three fail every request', 2],
])(
  'while %s, whoever answers nearly all is asked beyond the budget: no caller notices',
  async (_what, failing) => {
    const three = await simulate();
    try {
      const all = [one, two, three];
      for (const bad of all.slice(0, failing)) await bad.script({ status: 503 });
      const names = all
        .slice(0, failing + 1)
        .map((each, index) => upstream(`u${index}`, each.url, [`${index}`]));
      const { health } = start({
        upstreams: names,
        pool: { members: names.map(({ name }) => ({ upstream: name })), retry_percent: 1 },
      });
      const outcomes: string[] = [];
      for (let round = 0; round < 30; round += 1) {
        // However often it is ejected.
        for (const { id } of health.view()) health.applyRemote(closedBy(id));
        outcomes.push(...(await Promise.all(Array.from({ length: 10 }, () => send()))));
      }
      expect(new Set(outcomes)).toEqual(new Set([`u${failing} as m`]));
    } finally {
      await three.close();
    }
  },
);

test('nothing is tried again that the caller will not wait for', async () => {
  await one.script({ status: 500, first_delay_ms: 150 });
  start({ upstreams: both(), pool: inTurn });
  expect(await send({ deadlineMs: 100 })).toBe('upstream_error');
  expect(await two.count()).toBe(0);
});

test('headers and fields of the upstream stand in place of the caller’s', async () => {
  start({
    upstreams: [
      upstream('one', one.url, ['a'], {
        set_headers: { 'X-Team': 'ours', 'user-agent': 'gate' },
        set_parameters: { temperature: 0.5, store: false },
      }),
    ],
    pool: { members: [{ upstream: 'one' }] },
  });
  const payload = createTestPayload(
    '{"temperature": 1,"model":"m","messages":[{"role":"user","content":"Hi"}],"seed":1.0}',
  );
  await send({ payload, headers: { 'x-team': 'theirs', 'user-agent': 'sdk' } });
  const [request] = await one.requests();
  expect(request?.headers).toMatchObject({ 'x-team': 'ours', 'user-agent': 'gate' });
  expect(request?.body).toBe(
    '{"store":false,"temperature": 0.5,"model":"m","messages":[{"role":"user","content":"Hi"}],"seed":1.0}',
  );
});

test('a field that the upstream sets to null is taken away', async () => {
  start({
    upstreams: [upstream('one', one.url, ['a'], { set_parameters: { temperature: null, top_p: null } })],
    pool: { members: [{ upstream: 'one' }] },
  });
  const messages = '"messages":[{"role":"user","content":"Hi"}]';
  await send({ payload: createTestPayload(`{"model":"m", "temperature": 1,${messages}}`) });
  const [request] = await one.requests();
  expect(request?.body).toBe(`{"model":"m", ${messages}}`);
});

test.each([
  ['is lowered to what the catalogue says the model writes', 9_000, '8192', ['max_tokens']],
  ['within that passes as it came', 8_192, '8192', []],
])('a limit of output tokens %s', async (_what, stated, sent, emulated) => {
  start({
    upstreams: [upstream('one', one.url, ['a'])],
    pool: { members: [{ upstream: 'one' }] },
    model: { max_output_tokens: 8_192 },
  });
  const body = (limit: unknown) =>
    `{"model":"m","max_tokens": ${String(limit)} ,"messages":[{"role":"user","content":"Hi"}]}`;
  const answer = await running().send({ payload: createTestPayload(body(stated)), outputLimit: stated });
  expect(answer).toMatchObject({ emulated });
  const [request] = await one.requests();
  expect(request?.body).toBe(body(sent));
});

test.each([
  ['as its name says', 'claude-opus-4-8', {}, { max_tokens: 8_192 }, ['temperature']],
  ['as its name says', 'claude-sonnet-4-5', {}, { temperature: 0.5 }, []],
  [
    'as the catalogue says',
    'claude-sonnet-4-5',
    { sampling: 'none' },
    { max_tokens: 8_192 },
    ['temperature'],
  ],
  ['as the catalogue says', 'a-name-of-ours', { sampling: 'none' }, { max_tokens: 8_192 }, ['temperature']],
] as const)('what is converted is said %s, to %s', async (_what, name, dialect, sent, dropped) => {
  start({
    upstreams: [upstream('one', one.url, ['a'], { protocols: ['anthropic-messages'] })],
    pool: { members: [{ upstream: 'one', model_map: { m: name } }] },
    model: { max_output_tokens: 8_192, dialect },
  });
  const json = {
    model: 'm',
    max_tokens: 9_000,
    temperature: 0.5,
    messages: [{ role: 'user', content: 'Hi' }],
  };
  const answer = await running().send({ payload: createTestPayload(json), outputLimit: 9_000 });
  expect(answer).toMatchObject({ status: 200, dropped, emulated: ['max_tokens'] });
  const [request] = await one.requests();
  const { model, messages, max_tokens, ...rest } = JSON.parse(request?.body ?? '') as Record<string, unknown>;
  expect({ model, messages }).toMatchObject({ model: name });
  expect({ max_tokens, ...rest }).toEqual({ max_tokens: 8_192, ...sent });
});

test.each(['127.0.0.1', 'localhost'])(
  'the private address of %s is not connected to unless it is allowed',
  async (host) => {
    const url = one.url.replace('127.0.0.1', host);
    start({
      upstreams: [upstream('inside', url, ['a'], { allow_private_addresses: false })],
      pool: { members: [{ upstream: 'inside' }] },
    });
    expect(await send()).toBe('upstream_unavailable');
    expect(await one.count()).toBe(0);
  },
);

test('a key stays with its upstream, and keys are spread', async () => {
  start({
    upstreams: both(),
    pool: { members: [{ upstream: 'one' }, { upstream: 'two' }], strategy: 'sticky-key' },
  });
  const chosen = new Set<string>();
  for (let key = 0; key < 20; key += 1) {
    const answers = [await send({ keyId: `key-${key}` }), await send({ keyId: `key-${key}` })];
    expect(new Set(answers).size).toBe(1);
    chosen.add(answers[0] ?? '');
  }
  expect(chosen.size).toBe(2);
});

test('a stream counts as under way until its end, and its total time is bounded', async () => {
  await one.script({ chunk_delay_ms: 50, words: 40 });
  start({
    upstreams: [upstream('one', one.url, ['a'], { total_timeout_ms: 400 })],
    pool: { members: [{ upstream: 'one' }] },
  });
  // A machine that stands still lets it begin too late.
  const { broken, target } = await waitFor(async () => {
    const answer = await running().send({ stream: true });
    if (answer.kind !== 'stream') {
      expect(answer).toMatchObject({ kind: 'failed', error: { kind: 'upstream_timeout' } });
      return undefined;
    }
    const { target } = answer.candidate;
    expect(target.outstanding).toBe(1);
    const broken = new Promise<Error>((resolve) => answer.body.once('error', resolve));
    answer.body.resume();
    return { broken, target };
  }, 'a stream');
  expect((await broken).message).toBe('given up');
  await waitFor(() => target.outstanding === 0, 'the end of the stream');
});

test('an answer that is not wanted any longer ends the attempt, which says nothing about the upstream', async () => {
  await one.script({ hang: true });
  start({ upstreams: both(), pool: inTurn });
  const unwanted = new AbortController();
  const pending = running().send({ gone: unwanted.signal, signal: unwanted.signal });
  const target = running().stages[0]?.candidates[0]?.target;
  await waitFor(async () => (await one.count()) === 1, 'the request upstream');
  unwanted.abort();
  expect(await pending).toMatchObject({
    kind: 'aborted',
    asked: { model: 'm', candidate: { client: { upstream: { name: 'one' } } } },
  });
  expect(target?.view()).toMatchObject({ outstanding: 0, volume: 0, lastError: null });
  expect(await two.count()).toBe(0);
});

describe('a caller that leaves', () => {
  test('has the answer of the attempt that is under way', async () => {
    await one.script({ first_delay_ms: 200 });
    start({ upstreams: both(), pool: inTurn });
    const gone = new AbortController();
    const pending = send({ gone: gone.signal });
    await waitFor(async () => (await one.count()) === 1, 'the request upstream');
    gone.abort();
    expect(await pending).toBe('one as m');
  });

  test('has nobody else asked when that fails', async () => {
    await one.script({ status: 500, first_delay_ms: 200 });
    start({ upstreams: both(), pool: inTurn, spare: { members: [{ upstream: 'two' }] } });
    const gone = new AbortController();
    const pending = running().send({ gone: gone.signal });
    await waitFor(async () => (await one.count()) === 1, 'the request upstream');
    gone.abort();
    expect(await pending).toEqual({ kind: 'aborted' });
    expect(await two.count()).toBe(0);
  });

  test('before it is sent has nobody asked at all', async () => {
    start({ upstreams: both(), pool: inTurn });
    expect(await running().send({ gone: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
    expect(await one.count()).toBe(0);
  });
});
