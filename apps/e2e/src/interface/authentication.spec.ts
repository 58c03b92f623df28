import { waitFor } from '@tollgate/harness';
import { call, GOOD, type Style, STYLES } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';

const at = sharedStack();
/** Unheard of a change, a gateway would use its record for a minute. */
const SOON_MS = 10_000;
const send = (style: Style, headers: Record<string, string>, query = '') =>
  call(`${at.baseUrl}${GOOD[style].path}${query}`, { headers, body: GOOD[style].body });
const other = `sk-${'a'.repeat(48)}`;

describe.each(STYLES)('%s', (style) => {
  test.each([
    ['Authorization: Bearer', () => ({ authorization: `Bearer ${at.apiKey}` })],
    ['Authorization without Bearer', () => ({ authorization: at.apiKey })],
    ['x-api-key', () => ({ 'x-api-key': at.apiKey })],
    ['x-goog-api-key', () => ({ 'x-goog-api-key': at.apiKey })],
    [
      'an empty header beside a full one',
      () => ({ 'x-goog-api-key': '', authorization: `Bearer ${at.apiKey}` }),
    ],
    ['the same key twice', () => ({ 'x-api-key': at.apiKey, authorization: `Bearer ${at.apiKey}` })],
  ])('takes the key from %s', async (_place, headers) => {
    expect((await send(style, headers())).status).toBe(200);
  });

  test('takes the key from ?key=', async () => {
    expect((await send(style, {}, `?key=${at.apiKey}`)).status).toBe(200);
  });

  test('a missing key is 401 with the words of the interface, in the caller’s envelope', async () => {
    const { status, json, headers } = await send(style, {});
    expect(status).toBe(401);
    expect(json?.['error']).toMatchObject({ message: 'Invalid token', type: 'new_api_error' });
    expect(headers.get('x-should-retry')).toBe('false');
    if (style === 'messages')
      expect(json).toMatchObject({ type: 'error', request_id: headers.get('request-id') });
    if (style === 'gemini') expect(json?.['error']).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
  });

  test.each([
    ['malformed', { authorization: 'Bearer not-a-key' }],
    ['unknown', { authorization: `Bearer ${other}` }],
    ['two different keys', { authorization: `Bearer ${other}`, 'x-api-key': at.apiKey }],
  ])('%s is 401', async (_case, headers) => {
    expect((await send(style, headers as Record<string, string>)).status).toBe(401);
  });
});

test('a route without a body needs a key too', async () => {
  const { status, json } = await call(`${at.baseUrl}/v1/models`);
  expect([status, json?.['error']?.['message']]).toEqual([401, 'Invalid token']);
});

test('an expired key is 401', async () => {
  const { key } = await makeKey(at, { expires_at: '2020-01-01T00:00:00Z' });
  const { status, json } = await send('chat', { authorization: `Bearer ${key}` });
  expect([status, json?.['error']?.['code']]).toEqual([401, 'api_key_expired']);
});

test('a key expires while it is in use', async () => {
  const { key } = await makeKey(at, { expires_at: new Date(Date.now() + 10_000).toISOString() });
  expect((await send('chat', { authorization: `Bearer ${key}` })).status).toBe(200);
  await waitFor(
    async () => (await send('chat', { authorization: `Bearer ${key}` })).status === 401,
    'the expiry',
    10_000 + SOON_MS,
  );
});

test.each([
  ['disabled', 'PATCH', { status: 'disabled' }, 'api_key_disabled'],
  ['deleted', 'DELETE', undefined, 'invalid_api_key'],
])('a key that is %s is refused by every gateway soon', async (_case, method, body, code) => {
  const { key, id } = await makeKey(at);
  const headers = { authorization: `Bearer ${key}` };
  const ask = (url: string) => call(`${url}${GOOD.chat.path}`, { headers, body: GOOD.chat.body });
  for (const url of at.gatewayUrls) expect((await ask(url)).status).toBe(200);
  await admin(at, method, `/api/keys/${id}`, body);
  const deadline = Date.now() + SOON_MS;
  for (const url of at.gatewayUrls) {
    const refused = await waitFor(
      async () => {
        const answer = await ask(url);
        return answer.status === 401 ? answer : undefined;
      },
      'the refusal',
      Math.max(1, deadline - Date.now()),
    );
    expect(refused.json?.['error']?.['code']).toBe(code);
  }
});

test('a disabled key works again once it is enabled', async () => {
  const { key, id } = await makeKey(at);
  const status = async () => (await send('chat', { authorization: `Bearer ${key}` })).status;
  await admin(at, 'PATCH', `/api/keys/${id}`, { status: 'disabled' });
  await waitFor(async () => (await status()) === 401, 'the refusal', SOON_MS);
  await admin(at, 'PATCH', `/api/keys/${id}`, { status: 'active' });
  await waitFor(async () => (await status()) === 200, 'the answer', SOON_MS);
});

test('a key is unauthorised for a model of another group, as if there were no such model', async () => {
  const { key } = await makeKey(at, { group: 'restricted' });
  const ask = (model: string) =>
    call(`${at.baseUrl}${GOOD.chat.path}`, {
      headers: { authorization: `Bearer ${key}` },
      body: { ...GOOD.chat.body, model },
    });
  expect((await ask('sim-chat')).status).toBe(200);
  const [hidden, unknown] = [await ask('sim-claude'), await ask('sim-nothing')];
  expect([hidden.status, hidden.json?.['error']?.['code']]).toEqual([400, 'model_not_found']);
  expect(hidden.text.replaceAll('sim-claude', 'X')).toBe(unknown.text.replaceAll('sim-nothing', 'X'));
});

test('a key over its own budget is 429 insufficient_quota and is not to be retried', async () => {
  const { key } = await makeKey(at, { budgets: { total_usd: '0.000001' } });
  const refused = await send('chat', { authorization: `Bearer ${key}` });
  expect(refused.status).toBe(429);
  expect(refused.json?.['error']).toMatchObject({ type: 'insufficient_quota', code: 'insufficient_quota' });
  expect(refused.headers.get('x-should-retry')).toBe('false');
});

test('a key is shown once, and only its hash is kept', async () => {
  const { key, id } = await makeKey(at);
  expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  const list = await admin(at, 'GET', '/api/keys?limit=200');
  expect(list.items.map((item) => item.id)).toContain(id);
  expect(JSON.stringify(list)).not.toContain(key);
});
