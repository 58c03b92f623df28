import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  redisCall,
  type RunningRedis,
  type RunningStack,
  startRedis,
  waitFor,
} from '@tollgate/harness';
import OpenAI from 'openai';
import { type Books, openBooks } from '../books.ts';
import { type Answer, call, GOOD, type Style, STYLES } from '../call.ts';
import { type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { sendAndLeave } from '../leave.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

// A gateway is killed here, and Redis at the end: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-idempotency-'));
let redis: RunningRedis;
let stack: RunningStack;
let at: Pick<TestStack, 'baseUrl' | 'cookie' | 'gatewayUrls'>;
let books: Books;
let caller: { key: string; id: string };

beforeAll(async () => {
  redis = await startRedis();
  stack = await startTestStack({ home, port: await freePort(), moreGateways: 1, redisUrl: redis.url });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
}, 120_000);

afterAll(async () => {
  await books?.close();
  await stack?.stop();
  await redis?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

beforeEach(async () => {
  caller = await makeKey(at);
  await fetch(`${stack.simulatorUrl}/__sim/requests`, { method: 'DELETE' });
});

const gatewayOf = (turn: number): string => at.gatewayUrls[turn % 2] ?? at.baseUrl;

interface Sent {
  readonly turn?: number;
  readonly style?: Style;
  readonly idempotencyKey?: string;
  readonly body?: object;
  readonly script?: object;
  readonly headers?: Record<string, string>;
  readonly key?: string;
}

/** One request, of one gateway or the other. */
function send({ turn = 0, style = 'chat', body, script, ...sent }: Sent): Promise<Answer> {
  return call(`${gatewayOf(turn)}${GOOD[style].path}`, {
    headers: {
      authorization: `Bearer ${sent.key ?? caller.key}`,
      ...(sent.idempotencyKey === undefined ? {} : { 'idempotency-key': sent.idempotencyKey }),
      ...(script ? { 'x-sim-script': JSON.stringify(script) } : {}),
      ...sent.headers,
    },
    body: body ?? GOOD[style].body,
  });
}

interface Recorded {
  readonly headers: Readonly<Record<string, string>>;
}
const atUpstream = async (): Promise<Recorded[]> => {
  const answer = await fetch(`${stack.simulatorUrl}/__sim/requests`);
  return (await answer.json()) as Recorded[];
};
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';
const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? '';
const rows = async () =>
  Number(
    (await books.one('SELECT count(*)::int AS n FROM billing.usage WHERE key_id = $1', [caller.id]))['n'],
  );

/** These answers are in the books of the caller, and nothing else. */
async function expectBilled(...ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) await books.usage(id);
  expect(await rows()).toBe(new Set(ids).size);
}

/** As its users switch it on: every request of the client has a key then, its own retries the same. */
class IdempotentOpenAI extends OpenAI {
  protected override idempotencyHeader = 'Idempotency-Key';
}

test('the official client’s idempotencyKey: the repeat gets the answer of the first from the other gateway', async () => {
  const ask = { model: 'sim-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
  const options = { idempotencyKey: randomUUID() };
  const answers = [];
  for (const turn of [0, 1, 0]) {
    const client = new IdempotentOpenAI({
      baseURL: `${gatewayOf(turn)}/v1`,
      apiKey: caller.key,
      maxRetries: 0,
    });
    answers.push(await client.chat.completions.create(ask, options).withResponse());
  }
  const [first] = answers;
  expect(first?.response.headers.get('x-tollgate-idempotency')).toBe('stored');
  expect(answers.map(({ response }) => response.headers.get('idempotency-replayed'))).toEqual([
    null,
    'true',
    'true',
  ]);
  for (const { data, request_id } of answers) {
    expect(data).toEqual(first?.data);
    expect(request_id).toBe(first?.request_id);
  }
  await expectBilled(first?.request_id ?? '');
  const upstream = await atUpstream();
  expect(upstream).toHaveLength(1);
  expect(upstream[0]?.headers).not.toHaveProperty('idempotency-key');
});

test.each(STYLES)(
  '%s: the repeat is byte for byte the first answer, and is not billed again',
  async (style) => {
    const idempotencyKey = randomUUID();
    const first = await send({ style, idempotencyKey });
    const second = await send({ style, idempotencyKey, turn: 1 });
    expect([first.status, isReplay(first), isReplay(second)]).toEqual([200, false, true]);
    expect([second.status, second.text, idOf(second)]).toEqual([first.status, first.text, idOf(first)]);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    await expectBilled(idOf(first));
    expect(await atUpstream()).toHaveLength(1);
  },
);

test.each(STYLES)('%s: the same key with another body is a 422 in the caller’s envelope', async (style) => {
  const idempotencyKey = randomUUID();
  const first = await send({ style, idempotencyKey });
  const { status, json, headers } = await send({
    style,
    idempotencyKey,
    turn: 1,
    body: { ...GOOD[style].body, temperature: 0.5 },
  });
  expect(status).toBe(422);
  expect(json?.['error']).toMatchObject({
    message: expect.stringContaining('used for another request'),
    type: 'invalid_request_error',
  });
  expect(headers.get('x-should-retry')).toBe('false');
  await expectBilled(idOf(first));
});

test('the same key for another path is a 422, and that of another API key is nobody’s business', async () => {
  const idempotencyKey = randomUUID();
  await send({ idempotencyKey });
  expect((await send({ idempotencyKey, style: 'responses' })).status).toBe(422);
  const { key } = await makeKey(at);
  const other = await send({ idempotencyKey, key, body: { ...GOOD.chat.body, temperature: 0.1 } });
  expect([other.status, isReplay(other)]).toEqual([200, false]);
});

test.each([
  ['empty', ''],
  ['of 256 letters', 'x'.repeat(256)],
])('a key that is %s is a 400', async (_what, idempotencyKey) => {
  const { status, json } = await send({ idempotencyKey });
  expect([status, json?.['error']?.['param']]).toEqual([400, 'idempotency-key']);
});

test('twenty at once over both gateways: one is sent on, all get its answer', async () => {
  const idempotencyKey = randomUUID();
  const script = { first_delay_ms: 500 };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, turn) => send({ idempotencyKey, turn, script })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await atUpstream()).toHaveLength(1);
  await expectBilled(...answers.map(idOf));
});

test('a duplicate that cannot wait gets a 409 that says when to come again', async () => {
  const idempotencyKey = randomUUID();
  const first = send({ idempotencyKey, script: { first_delay_ms: 10_000 } });
  await waitFor(async () => (await atUpstream()).length === 1, 'the first');
  const duplicate = await send({ idempotencyKey, turn: 1, headers: { 'x-stainless-timeout': '1' } });
  expect([duplicate.status, duplicate.headers.get('retry-after')]).toEqual([409, '1']);
  expect(duplicate.json?.['error']).toMatchObject({ code: 'idempotency_key_in_use' });
  await expectBilled(idOf(await first));
});

test('a caller that goes away finds the answer when it comes again, and pays for it once', async () => {
  const idempotencyKey = randomUUID();
  const leaving = new AbortController();
  const left = fetch(`${gatewayOf(0)}${GOOD.chat.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-sim-script': '{"first_delay_ms":5000}',
    },
    body: JSON.stringify(GOOD.chat.body),
    signal: leaving.signal,
  });
  await waitFor(async () => (await atUpstream()).length === 1, 'the first');
  leaving.abort();
  await expect(left).rejects.toThrow();
  const second = await send({ idempotencyKey, turn: 1 });
  expect([second.status, isReplay(second)]).toEqual([200, true]);
  await expectBilled(idOf(second));
  expect(await atUpstream()).toHaveLength(1);
});

test('a gateway that is killed in the middle: the repeat runs at the other one once the claim has lapsed', async () => {
  const idempotencyKey = randomUUID();
  const lost = send({ idempotencyKey, turn: 1, script: { first_delay_ms: 60_000 } });
  const broken = expect(lost).rejects.toThrow();
  await waitFor(async () => (await atUpstream()).length === 1, 'the first');
  stack.services.get('gateway-2')?.process.kill();
  await broken;
  const answer = await send({ idempotencyKey });
  expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  await waitFor(
    () =>
      fetch(`${gatewayOf(1)}/readyz`).then(
        (ready) => ready.ok,
        () => false,
      ),
    'the other gateway',
  );
  const again = await send({ idempotencyKey, turn: 1 });
  expect([idOf(again), isReplay(again)]).toEqual([idOf(answer), true]);
  await expectBilled(idOf(answer));
}, 60_000);

test.each([
  ['an error of the upstream', { status: 500 }, 502],
  ['a rate limit of the upstream', { status: 429 }, 429],
  ['a refusal by the upstream', { status: 400 }, 400],
])('%s is not kept: the repeat runs', async (_what, script, status) => {
  const idempotencyKey = randomUUID();
  const body = { ...GOOD.chat.body, model: 'sim-chat' };
  expect((await send({ idempotencyKey, body, script })).status).toBe(status);
  const repeat = await waitFor(async () => {
    const answer = await send({ idempotencyKey, body, turn: 1 });
    return answer.status === 200 && answer;
  }, 'an answer');
  expect(isReplay(repeat)).toBe(false);
  await expectBilled(idOf(repeat));
});

test('a refusal of our own is not kept, and repeats count as requests against the limits', async () => {
  const idempotencyKey = randomUUID();
  const { key } = await makeKey(at, { limits: { requests_per_minute: 2 } });
  const statuses = [];
  for (let n = 0; n < 3; n += 1) statuses.push((await send({ key, idempotencyKey })).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test('a stream whose client has left holds no repeat up, though its upstream is read on', async () => {
  const idempotencyKey = randomUUID();
  const mark = `left ${idempotencyKey}`;
  const content = `${mark} [[sim {"words":60,"chunk_delay_ms":100}]]`;
  const body = { model: 'sim-chat', stream: true, messages: [{ role: 'user', content }] };
  await sendAndLeave(stack, {
    path: GOOD.chat.path,
    headers: { authorization: `Bearer ${caller.key}`, 'idempotency-key': idempotencyKey },
    body,
    mark,
    moment: 'after the first event',
    lastWord: 'word60',
  });
  const again = await waitFor(async () => {
    const answer = await fetch(`${gatewayOf(1)}${GOOD.chat.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
    });
    return answer.status === 200 && answer;
  }, 'the repeat');
  // The first has some seconds to go still.
  expect(await rows()).toBe(0);
  expect(await again.text()).toContain('word60');
  await waitFor(async () => (await rows()) === 2, 'both charges');
});

test('a stream is not kept: its duplicate is a 409 while it runs, and runs after it', async () => {
  const idempotencyKey = randomUUID();
  const body = { ...GOOD.chat.body, stream: true };
  const first = send({ idempotencyKey, body, script: { first_delay_ms: 8_000 } });
  await waitFor(async () => (await atUpstream()).length === 1, 'the first');
  expect((await send({ idempotencyKey, body, turn: 1 })).status).toBe(409);
  const { headers, text } = await first;
  expect(headers.get('x-tollgate-idempotency')).toBe('stream');
  expect(text).toContain('data: [DONE]');
  const later = await waitFor(async () => {
    const answer = await send({ idempotencyKey, body, turn: 1 });
    return answer.status === 200 && answer;
  }, 'the end of the claim');
  await expectBilled(idOf(await first), idOf(later));
});

test('counting tokens costs nothing and keeps nothing', async () => {
  const answer = await call(`${at.baseUrl}/v1/messages/count_tokens`, {
    headers: { authorization: `Bearer ${caller.key}`, 'idempotency-key': 'count' },
    body: { ...GOOD.messages.body, max_tokens: undefined },
  });
  expect([answer.status, answer.headers.get('x-tollgate-idempotency')]).toEqual([200, null]);
});

test('an answer is kept for 24 hours, sealed, and only for a request with a key', async () => {
  await redisCall(redis.port, 'FLUSHALL');
  const secret = 'what only the customer may read';
  const body = { ...GOOD.chat.body, messages: [{ role: 'user', content: secret }] };
  const places = async () =>
    (await redisCall(redis.port, 'KEYS', 'tollgate:idempotency:*')).match(/tollgate:idempotency:\S+/g) ?? [];
  expect((await send({ body })).text).toContain(secret);
  expect(await places()).toEqual([]);
  await send({ body, idempotencyKey: 'order 17' });
  const [place = '', ...others] = await places();
  expect(others).toEqual([]);
  expect(place).not.toContain('order');
  const ttl = Number(await redisCall(redis.port, 'PTTL', place));
  expect(ttl).toBeGreaterThan(86_400_000 - 60_000);
  expect(ttl).toBeLessThanOrEqual(86_400_000);
  const kept = await redisCall(redis.port, 'GETRANGE', place, '0', '100000');
  expect(kept).not.toContain('customer');
});

test('without Redis a request with a key runs, and says that it is not protected', async () => {
  await send({});
  await redis.kill();
  const answer = await send({ idempotencyKey: randomUUID() });
  expect([answer.status, answer.headers.get('x-tollgate-idempotency')]).toEqual([200, 'unavailable']);
  await redis.restart();
});
