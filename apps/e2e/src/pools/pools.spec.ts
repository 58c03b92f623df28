import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import {
  ask,
  makeOwnPool,
  ownName,
  type OwnSimulator,
  putUpstream,
  requestId,
  startOwnSimulator,
} from './own-pool.ts';
import { settled } from './shown-health.ts';

const at = sharedStack();
let books: Books;
let one: OwnSimulator;
let two: OwnSimulator;
beforeAll(async () => {
  books = openBooks(at.databaseUrl);
  [one, two] = await Promise.all([startOwnSimulator(), startOwnSimulator()]);
});
afterAll(() => Promise.all([books.close(), one.close(), two.close()]));
beforeEach(() => Promise.all([one.reset(), two.reset()]));

/** Both simulators as new upstreams, each with one credential. */
async function upstreams(more: object = {}): Promise<[first: string, second: string]> {
  const name = ownName('upstream');
  return [
    await putUpstream(at, `${name}-one`, one.url, [`${name}-a`], more),
    await putUpstream(at, `${name}-two`, two.url, [`${name}-b`], more),
  ];
}

/** Longer than the word of it travels on a machine that stands still. */
const LIMITED_MS = 10_000;

const everywhere = (n: number): string => at.gatewayUrls[n % at.gatewayUrls.length] ?? at.baseUrl;
const upstreamOf = async (id: string) => (await books.usage(id))['upstream'];

test('requests are spread by weight', async () => {
  const [first, second] = await upstreams();
  const pool = await makeOwnPool(at, {
    members: [
      { upstream: first, weight: 3 },
      { upstream: second, weight: 1 },
    ],
  });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(everywhere(n), pool)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const share = (await one.requests()).length;
  expect(share + (await two.requests()).length).toBe(200);
  // Five standard deviations around 150.
  expect(share).toBeGreaterThan(119);
  expect(share).toBeLessThan(181);
});

test('credentials of one upstream share its requests by weight', async () => {
  const name = ownName('weighted');
  const secrets = [`${name}-a`, `${name}-b`];
  const credentials = secrets.map((secret, index) => ({ name: secret, secret, weight: index === 0 ? 4 : 1 }));
  const upstream = await putUpstream(at, name, one.url, [], { credentials });
  const pool = await makeOwnPool(at, { members: [{ upstream }] });
  await Promise.all(Array.from({ length: 100 }, (_, n) => ask(everywhere(n), pool)));
  const [heavy, light] = await Promise.all(
    secrets.map(async (secret) => (await one.requests(secret)).length),
  );
  expect((heavy ?? 0) + (light ?? 0)).toBe(100);
  expect(heavy).toBeGreaterThan(59);
  expect(light).toBeGreaterThan(0);
});

test('when an upstream fails the next answers, and it is the one in the books', async () => {
  const [first, second] = await upstreams();
  await one.script({ status: 500 });
  const pool = await makeOwnPool(at, { members: [{ upstream: first }, { upstream: second, priority: 1 }] });
  const answer = await ask(at.baseUrl, pool);
  expect(answer.status).toBe(200);
  expect(await upstreamOf(requestId(answer))).toBe(second);
  expect((await one.requests()).length).toBe(1);
});

test('a limited credential is left alone by every gateway for exactly as long as it was told', async () => {
  const [first, second] = await upstreams();
  const pool = await makeOwnPool(at, { members: [{ upstream: first }, { upstream: second, priority: 1 }] });
  await one.script({ status: 429, retry_after_s: LIMITED_MS / 1_000 });
  const sentAt = Date.now();
  expect((await ask(at.baseUrl, pool)).status).toBe(200);
  const limitedAt = Date.now();
  // The word travels to the other gateways.
  await settled(at, first, first.replace(/one$/, 'a'), 'cooling_down');
  await one.script({});
  // A machine that stands still between two requests delays the second, so what counts is when the last one went past it.
  let passedAt = limitedAt;
  let backAt: number | undefined;
  for (let n = 0; backAt === undefined && passedAt < limitedAt + LIMITED_MS + 500; n += 1) {
    const askedAt = Date.now();
    expect((await ask(everywhere(n), pool)).status).toBe(200);
    if ((await one.requests()).length > 1) backAt = Date.now();
    else passedAt = askedAt;
    await sleep(50);
  }
  expect(backAt).toBeGreaterThanOrEqual(sentAt + LIMITED_MS);
});

test('headers and fields of an upstream stand in place of the caller’s', async () => {
  const [first] = await upstreams({
    set_headers: { 'X-Region': 'north' },
    set_parameters: { temperature: 0.25, store: false },
  });
  const pool = await makeOwnPool(at, { members: [{ upstream: first }] });
  const answer = await ask(at.baseUrl, pool, {
    body: { temperature: 2, top_p: 0.5 },
    headers: { 'x-region': 'south' },
  });
  expect(answer.status).toBe(200);
  const [request] = await one.requests();
  expect(request?.headers['x-region']).toBe('north');
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ temperature: 0.25, store: false, top_p: 0.5 });
});

test.each(['sticky-key', 'sticky-prompt'])(
  '%s keeps what belongs together on one upstream, over all gateways',
  async (strategy) => {
    const [first, second] = await upstreams();
    const pool = await makeOwnPool(at, { strategy, members: [{ upstream: first }, { upstream: second }] });
    const turns = (n: number) => [
      { role: 'user', content: 'The same beginning' },
      ...Array.from({ length: n }, (_, turn) => [
        { role: 'assistant', content: `Answer ${turn}` },
        { role: 'user', content: `Question ${turn}` },
      ]).flat(),
    ];
    for (let n = 0; n < 12; n += 1)
      expect((await ask(everywhere(n), pool, { body: { messages: turns(n) } })).status).toBe(200);
    expect([(await one.requests()).length, (await two.requests()).length].sort((a, b) => a - b)).toEqual([
      0, 12,
    ]);
  },
);

test('the cheapest upstream is preferred, and the books know what it charges', async () => {
  const [first, second] = await upstreams({ cost_ratio: '0.9' });
  const pool = await makeOwnPool(at, {
    strategy: 'cheapest',
    members: [{ upstream: first }, { upstream: second, cost_ratio: '0.4' }],
  });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(everywhere(n), pool)));
  expect((await one.requests()).length).toBe(0);
  const row = await books.usage(requestId(answers[0] ?? (await ask(at.baseUrl, pool))));
  expect(row['upstream']).toBe(second);
  expect(BigInt(String(row['upstream_cost_pico'])) * 10n).toBe(BigInt(row.cost_pico) * 4n);
});

/** What is booked of the attempts of a request that brought nothing; billing has a moment to write it. */
const lostOf = (id: string) =>
  waitFor(
    () => books.one(`SELECT * FROM billing.lost_attempt WHERE request_id = $1`, [`${id}.1`]),
    `the lost attempt of ${id}`,
  );

test('a hedged request is answered by the faster upstream and billed once; the other attempt is a cost', async () => {
  const [first, second] = await upstreams({ cost_ratio: '0.5' });
  const pool = await makeOwnPool(at, {
    hedge: true,
    retry_percent: 100,
    members: [{ upstream: first }, { upstream: second, priority: 1 }],
  });
  for (let n = 0; n < 60; n += 1) await ask(at.baseUrl, pool);
  await one.script({ first_delay_ms: 60_000 });
  // On a busy machine one of those before may have been hedged too.
  const asked = async () => [(await one.requests()).length, (await two.requests()).length] as const;
  const before = await asked();
  const answer = await ask(at.baseUrl, pool);
  expect(answer.status).toBe(200);
  expect((await asked()).map((count, n) => count - (before[n] ?? 0))).toEqual([1, 1]);
  expect(await upstreamOf(requestId(answer))).toBe(second);
  const lost = await lostOf(requestId(answer));
  expect(lost).toMatchObject({ cause: 'hedge', upstream: first, model: pool.model });
  // Half of the list price of the tokens that it may have used, of which those of its answer are a guess by its time.
  const [input, output] = [lost['tokens_input'], lost['tokens_output']].map(Number);
  expect([input, output].every((count) => Number(count) > 0)).toBe(true);
  expect(Number(lost['upstream_cost_pico'])).toBe(
    (Number(input) * 1_000_000 + Number(output) * 2_000_000) / 2,
  );
  const { count } = await books.one('SELECT count(*) FROM billing.usage WHERE model = $1', [pool.model]);
  expect(Number(count)).toBe(61);
});

test('while every upstream fails, no more is sent to them than callers’ requests and the share of retries', async () => {
  const [first, second] = await upstreams();
  const pool = await makeOwnPool(at, {
    attempts: 5,
    retry_percent: 20,
    members: [{ upstream: first }, { upstream: second }],
  });
  await Promise.all([one.script({ status: 500 }), two.script({ status: 500 })]);
  const callers = 300;
  for (let sent = 0; sent < callers; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => ask(at.baseUrl, pool)));
  const upstream = (await one.requests()).length + (await two.requests()).length;
  expect(upstream).toBeGreaterThanOrEqual(callers);
  expect(upstream).toBeLessThanOrEqual(callers * 1.2);
});

test.each(['http://127.0.0.1:80', 'http://10.0.0.7', 'http://[::1]:80', 'http://169.254.169.254'])(
  'the upstream %s is refused when it is published',
  async (base_url) => {
    const body = { base_url, protocols: ['openai-chat'] };
    await expect(admin(at, 'PUT', `/api/catalogue/upstreams/${ownName('x')}`, body)).rejects.toThrow(
      /answered 400: .*base_url/,
    );
  },
);

test('a name that stands for a private address is refused when it is connected to', async () => {
  const name = ownName('inside');
  const url = one.url.replace('127.0.0.1', 'localhost');
  const upstream = await putUpstream(at, name, url, [`${name}-a`], { allow_private_addresses: false });
  const answer = await ask(at.baseUrl, await makeOwnPool(at, { members: [{ upstream }] }));
  expect(answer.status).toBe(503);
  expect(answer.text).not.toMatch(/localhost|127\.0\.0\.1|address/);
  expect(await one.requests()).toEqual([]);
});

test('a request that no upstream answered in time costs the operator what they may bill, and its caller nothing', async () => {
  const name = ownName('silent');
  const more = { first_byte_timeout_ms: 300, cost_ratio: '0.5' };
  const upstream = await putUpstream(at, name, one.url, [name], more);
  const pool = await makeOwnPool(at, { members: [{ upstream }], attempts: 1 });
  await one.script({ hang: true });
  const answer = await ask(at.baseUrl, pool);
  expect(answer.status).toBe(504);
  const id = requestId(answer);
  expect(await lostOf(id)).toMatchObject({ cause: 'timeout', upstream, account_id: at.accountId });
  const charged = 'SELECT count(*)::int AS rows FROM billing.usage WHERE request_id LIKE $1';
  expect(await books.one(charged, [`${id}%`])).toEqual({ rows: 0 });
  const { sum } = await books.entriesOf(`${id}.1`);
  expect(sum).toBe('0');
});

test('of a model that reasons unseen, an answer that breaks off before its usage is charged for its time', async () => {
  const upstream = await putUpstream(at, ownName('reasons'), one.url, [ownName('credential')]);
  const pool = await makeOwnPool(at, { members: [{ upstream }] });
  const broken = { first_delay_ms: 1_200, words: 30, chunk_delay_ms: 1, cut_after_chunks: 5 };
  const breakOff = async () => {
    await one.script(broken);
    const answer = await ask(at.baseUrl, pool, { body: { stream: true } });
    const row = await books.usage(requestId(answer));
    expect(row).toMatchObject({ outcome: 'upstream_cut', usage_source: 'estimated' });
    return Number(row['tokens_output_reasoning']);
  };
  expect(await breakOff()).toBe(0);
  await one.script({ usage: { reasoning: 20, output: 30 } });
  expect((await ask(at.baseUrl, pool)).status).toBe(200);
  expect(await breakOff()).toBeGreaterThan(100);
});
