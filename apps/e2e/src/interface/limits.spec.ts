import { waitFor } from '@tollgate/harness';
import { call, GOOD, type Style, STYLES } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';

const at = sharedStack();
const ask = (key: string, style: Style = 'chat', body: object = GOOD[style].body) =>
  call(`${at.baseUrl}${GOOD[style].path}`, { headers: { authorization: `Bearer ${key}` }, body });

const NAMES: Readonly<Record<Style, readonly [limit: string, remaining: string, reset: string]>> = {
  chat: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  responses: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  messages: [
    'anthropic-ratelimit-requests-limit',
    'anthropic-ratelimit-requests-remaining',
    'anthropic-ratelimit-requests-reset',
  ],
  gemini: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
};

describe.each(STYLES)('%s', (style) => {
  test('requests per minute of a key: the state in headers, then 429 with the time to wait', async () => {
    const { key } = await makeKey(at, { limits: { requests_per_minute: 2 } });
    const [limit, remaining, reset] = NAMES[style];
    const beganAt = performance.now();
    const first = await ask(key, style);
    expect(first.status).toBe(200);
    expect([first.headers.get(limit), first.headers.get(remaining)]).toEqual(['2', '1']);
    expect(first.headers.get(reset)).toBeTruthy();
    expect((await ask(key, style)).status).toBe(200);

    const refused = await ask(key, style);
    expect(refused.status).toBe(429);
    expect(refused.headers.get(remaining)).toBe('0');
    const wait = Number(refused.headers.get('retry-after-ms'));
    // One is free again half a minute after the first was taken.
    expect(wait).toBeGreaterThanOrEqual(29_999 - (performance.now() - beganAt));
    expect(wait).toBeLessThanOrEqual(30_000);
    expect(Number(refused.headers.get('retry-after'))).toBe(Math.ceil(wait / 1_000));
    expect(refused.json?.['error']?.['message']).toContain('2 requests per minute for this API key');
    expect(refused.headers.get('x-should-retry')).toBeNull();
  });
});

test('tokens per minute of a key count what was really used', async () => {
  const { key } = await makeKey(at, { limits: { tokens_per_minute: 1_000 } });
  const big = {
    ...GOOD.chat.body,
    messages: [{ role: 'user', content: '[[sim {"usage":{"input":4,"output":99996}}]]' }],
  };
  const first = await ask(key, 'chat', big);
  expect(first.status).toBe(200);
  expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('1000');
  const refused = await waitFor(async () => {
    const answer = await ask(key);
    return answer.status === 429 ? answer : undefined;
  }, 'the correction of the estimate');
  expect(refused.json?.['error']?.['message']).toContain('tokens per minute');
});

test('requests per minute of a group hold over all of its keys and all gateways', async () => {
  await admin(at, 'PUT', '/api/catalogue/groups/narrow', {
    ratio: '1',
    models: ['sim-chat'],
    limits: { requests_per_minute: 4 },
  });
  const keys = await Promise.all([1, 2].map(() => makeKey(at, { group: 'narrow' })));
  await Promise.all(
    at.gatewayUrls.map((url) =>
      waitFor(async () => {
        const { status } = await call(`${url}/v1/models`, {
          headers: { authorization: `Bearer ${keys[0]?.key}` },
        });
        return status === 200 || status === 429;
      }, 'the new group on every gateway'),
    ),
  );
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      call(`${at.gatewayUrls[index % at.gatewayUrls.length]}${GOOD.chat.path}`, {
        headers: { authorization: `Bearer ${keys[index % keys.length]?.key}` },
        body: GOOD.chat.body,
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  // Those that looked at the models above took from the same bucket.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.json?.['error']?.['message']).toContain('the group of this API key');
});

test('requests per minute of a model', async () => {
  await admin(at, 'PUT', '/api/catalogue/models/narrow-model', {
    vendor: 'openai',
    prices: { input: 1_000, output: 1_000 },
    limits: { requests_per_minute: 1 },
  });
  const { key } = await makeKey(at, { group: 'vip' });
  const body = { ...GOOD.chat.body, model: 'narrow-model' };
  const first = await waitFor(async () => {
    const answer = await ask(key, 'chat', body);
    return answer.status === 400 ? undefined : answer;
  }, 'the new model');
  expect(first.status).toBe(200);
  const refused = await ask(key, 'chat', body);
  expect(refused.status).toBe(429);
  expect(refused.json?.['error']?.['message']).toContain('this model');
});

test('requests per minute of the public routes', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 150 }, async () => call(`${at.gatewayUrls[1]}/api/status`)),
  );
  const refused = statuses.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused?.json?.['error']?.['type']).toBe('rate_limit_error');
});
