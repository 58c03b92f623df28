import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { call, GOOD, STYLES } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { sendFrom } from './from-address.ts';

const at = sharedStack();
/** Unheard of a change, a gateway would use its record for a minute. */
const SOON_MS = 10_000;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const chat = (url: string, key: string, model = 'sim-chat') =>
  call(`${url}${GOOD.chat.path}`, { headers: bearer(key), body: { ...GOOD.chat.body, model } });
const statuses = (key: string) =>
  Promise.all(at.gatewayUrls.map(async (url) => (await chat(url, key)).status));
const everywhere = (key: string, status: number) =>
  waitFor(
    async () => (await statuses(key)).every((each) => each === status),
    `${status} everywhere`,
    SOON_MS,
  );

test('a key is good only from where it may be used, and is told where it was', async () => {
  const { key, id } = await makeKey(at, { allowed_addresses: ['127.0.0.8/30', '2001:db8::/32'] });
  const from = (address: string) =>
    sendFrom(address, `${at.baseUrl}${GOOD.chat.path}`, { headers: bearer(key), body: GOOD.chat.body });
  expect((await from('127.0.0.9')).status).toBe(200);
  const refused = await from('127.0.0.12');
  expect(refused.status).toBe(401);
  expect(JSON.parse(refused.text)).toMatchObject({
    error: { type: 'new_api_error', code: 'invalid_api_key', message: expect.stringContaining('127.0.0.12') },
  });
  const claimed = await sendFrom('127.0.0.12', `${at.baseUrl}${GOOD.chat.path}`, {
    headers: { ...bearer(key), 'x-forwarded-for': '127.0.0.9', 'x-real-ip': '127.0.0.9' },
    body: GOOD.chat.body,
  });
  expect(claimed.status).toBe(401);
  await admin(at, 'PATCH', `/api/keys/${id}`, { allowed_addresses: null });
  await waitFor(async () => (await from('127.0.0.12')).status === 200, 'the key everywhere', SOON_MS);
});

test.each(STYLES)('a model that is not on the list of a key is none to it: %s', async (style) => {
  const { key } = await makeKey(at, { models: [style === 'messages' ? 'sim-chat' : 'sim-claude'] });
  const { path, body } = GOOD[style];
  const hidden = await call(`${at.baseUrl}${path}`, { headers: bearer(key), body });
  const name = 'model' in body ? body.model : 'sim-gemini';
  const absent = await call(`${at.baseUrl}${path.replace(name, 'no-such-model')}`, {
    headers: bearer(key),
    body: 'model' in body ? { ...body, model: 'no-such-model' } : body,
  });
  expect(hidden.status).toBe(400);
  expect(absent.status).toBe(400);
  const withoutId = (text: string) => text.replace(/req_[0-9a-f]+/g, 'req');
  expect(withoutId(hidden.text)).toBe(withoutId(absent.text).replaceAll('no-such-model', name));
});

test('models that are not on the list of a key are not listed, and not shown', async () => {
  const { key, id } = await makeKey(at, { models: ['sim-claude'] });
  const list = await call(`${at.baseUrl}/v1/models`, { headers: bearer(key) });
  const { data } = JSON.parse(list.text) as { data: { id: string }[] };
  expect(data.map((model) => model.id)).toEqual(['sim-claude']);
  const shown = await call(`${at.baseUrl}/v1/models/sim-chat`, { headers: bearer(key) });
  const absent = await call(`${at.baseUrl}/v1/models/no-such-model`, { headers: bearer(key) });
  expect([shown.status, absent.status]).toEqual([400, 400]);
  expect(shown.text).toBe(absent.text.replaceAll('no-such-model', 'sim-chat'));
  await admin(at, 'PATCH', `/api/keys/${id}`, { models: ['sim-chat', 'sim-claude'] });
  await waitFor(async () => (await chat(at.baseUrl, key)).status === 200, 'the new list', SOON_MS);
});

test('a rotated key works by both secrets, until the overlap ends', async () => {
  const { key: before, id } = await makeKey(at);
  await everywhere(before, 200);
  const { key, rotated_from } = await admin(at, 'POST', `/api/keys/${id}/rotate`, { overlap_s: 12 });
  if (!rotated_from) throw new Error('the answer names no secret before');
  expect(await statuses(key)).toEqual(at.gatewayUrls.map(() => 200));
  expect(await statuses(before)).toEqual(at.gatewayUrls.map(() => 200));
  await sleep(Math.max(0, Date.parse(rotated_from.works_until) - Date.now()));
  await everywhere(before, 401);
  expect(await statuses(key)).toEqual(at.gatewayUrls.map(() => 200));
});

test('without an overlap the secret before stops', async () => {
  const { key: before, id } = await makeKey(at);
  await everywhere(before, 200);
  const { key } = await admin(at, 'POST', `/api/keys/${id}/rotate`, { overlap_s: 0 });
  await everywhere(before, 401);
  await everywhere(key, 200);
});

test('who tries wrong keys is soon not listened to, while keys that are in use go on, and others too', async () => {
  const { key } = await makeKey(at);
  const url = `${at.baseUrl}${GOOD.chat.path}`;
  const from = (address: string, secret: string) =>
    sendFrom(address, url, { headers: bearer(secret), body: GOOD.chat.body });
  const guess = () => `sk-${randomBytes(24).toString('hex')}`;
  const guesser = `127.0.5.${1 + Math.floor(Math.random() * 250)}`;
  expect((await from(guesser, key)).status).toBe(200);
  const seen: number[] = [];
  for (let tries = 0; tries < 200 && seen.at(-1) !== 429; tries += 1) {
    seen.push((await from(guesser, guess())).status);
  }
  const wrong = seen.filter((status) => status === 401).length;
  expect(wrong).toBeGreaterThanOrEqual(60);
  expect(wrong).toBeLessThan(120);
  await waitFor(async () => {
    const refused = await from(guesser, guess());
    if (refused.status !== 429) return false;
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(refused.text).toContain('wrong API keys');
    return true;
  }, 'a refusal');
  expect((await from(guesser, key)).status).toBe(200);
  expect((await from('127.0.4.1', guess())).status).toBe(401);
});

test('right keys do not count, however many they are', async () => {
  const { key } = await makeKey(at);
  const url = `${at.baseUrl}/v1/models`;
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => sendFrom('127.0.4.2', url, { headers: bearer(key) })),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

test('what is done in billing and in pricing is in one audit log', async () => {
  const reason = `audited ${randomBytes(4).toString('hex')}`;
  const { id } = await makeKey(at);
  await admin(at, 'PUT', `/api/catalogue/vendors/audited?reason=${encodeURIComponent(reason)}`, {
    description: reason,
  });
  const entries = async (query: string) => (await admin(at, 'GET', `/api/audit-log?${query}`)).items;
  const [made] = await entries(`object=${encodeURIComponent(`key ${id}`)}`);
  expect(made).toMatchObject({ action: 'key.create', actor: 'owner@e2e.example', address: '127.0.0.1' });
  await waitFor(
    async () =>
      (await entries('source=pricing&limit=200')).some((entry) =>
        JSON.stringify(entry['after']).includes('"name":"audited"'),
      ),
    'the published version',
  );
});
