// Requests of every class of failure go through the front door of the shared stack; then each is asked for by the id that its
// answer had, until billing has it.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { AnswerOf, requests } from '@tollgate/api';
import { freePort, waitFor } from '@tollgate/harness';
import { type Answer, call, GOOD } from '../call.ts';
import { openAccount, publishModels, TOKENS } from '../credit/customers.ts';
import { ask, makeOwnPool, ownName, putUpstream, requestId } from '../pools/own-pool.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';

type Entry = AnswerOf<typeof requests.showRequest>;

const at = sharedStack();
const { path, body } = GOOD.chat;
const headersOf = (key: string) => ({ authorization: `Bearer ${key}` });
const send = (of: object, key = at.apiKey): Promise<Answer> =>
  call(`${at.baseUrl}${path}`, { headers: headersOf(key), body: { ...body, ...of } });
const scripted = (script: object) => ({
  messages: [{ role: 'user', content: `[[sim ${JSON.stringify(script)}]]` }],
});

const find = (id: string): Promise<Entry> =>
  waitFor(
    () => admin(at, 'GET', `/api/requests/${id}`).catch(() => undefined),
    `the request ${id}`,
    15_000,
    100,
  );

const SECRET = `sk-${'Qz7'.repeat(16)}`;

async function askUnreachable(): Promise<Answer> {
  const upstream = await putUpstream(at, ownName('nobody'), `http://127.0.0.1:${await freePort()}`, ['one']);
  return ask(at.baseUrl, await makeOwnPool(at, { members: [{ upstream }] }));
}

async function askBeyond(limits: object): Promise<Answer> {
  const { key } = await makeKey(at, { limits });
  await send({}, key);
  return send({}, key);
}

async function askWithoutCredit(): Promise<Answer> {
  await publishModels(at, { group: 'credit' });
  const { key } = await openAccount(at, { mode: 'prepaid' });
  return send({ model: TOKENS }, key);
}

async function askFromElsewhere(): Promise<Answer> {
  const { key } = await makeKey(at, { allowed_addresses: ['192.0.2.1'] });
  return send({}, key);
}

test.each<[what: string, fails: () => Promise<Answer>, entry: object]>([
  [
    'a body that is no JSON',
    () => call(`${at.baseUrl}${path}`, { headers: headersOf(at.apiKey), body: '{"model": ' }),
    { http_status: 400, error_code: 'invalid_request', model: null, message: /request body/ },
  ],
  [
    'a model that is not there',
    () => send({ model: 'no-such-model' }),
    { http_status: 400, error_code: 'model_not_found', model: 'no-such-model', message: /no-such-model/ },
  ],
  [
    'a secret in place of a model',
    () => send({ model: SECRET }),
    { http_status: 400, error_code: 'model_not_found', model: '***', message: /\*\*\*/ },
  ],
  [
    'a limit of requests',
    () => askBeyond({ requests_per_minute: 1 }),
    {
      http_status: 429,
      error_code: 'rate_limit_exceeded',
      limited_by: 'key',
      message: /limit of 1 requests per minute for this API key/,
    },
  ],
  [
    'no credit',
    askWithoutCredit,
    {
      http_status: 429,
      error_code: 'insufficient_quota',
      limited_by: 'credit',
      message: /the account has 0/,
    },
  ],
  [
    'a key that may not come from here',
    askFromElsewhere,
    { http_status: 401, error_code: 'invalid_api_key', model: null, message: /may not be used from/ },
  ],
  [
    'an upstream that refuses it',
    () => send(scripted({ status: 400 })),
    {
      http_status: 400,
      error_code: 'upstream_refused',
      message: /told to fail with 400/,
      attempts: [{ upstream: 'simulator', result: 'answered', status: 400 }],
    },
  ],
  [
    'an upstream that fails',
    () => send(scripted({ status: 500 })),
    {
      http_status: 502,
      error_code: 'upstream_error',
      message: /failed with status 500/,
      attempts: [{ upstream: 'simulator', result: 'status', status: 500 }],
    },
  ],
  [
    'an upstream that goes away',
    () => send({ ...scripted({ cut_before_headers: true }) }),
    { http_status: 502, error_code: 'upstream_error', message: /closed the connection/ },
  ],
  [
    'an upstream that cannot be reached',
    askUnreachable,
    {
      http_status: 503,
      error_code: 'upstream_unavailable',
      message: /can be reached/,
      attempts: [{ result: 'connect', status: null }],
    },
  ],
])(
  'it is found by its id why a request failed: %s',
  async (
    _what,
    fails,
    {
      message,
      ...expected
    }: {
      message?: RegExp;
    },
  ) => {
    const answer = await fails();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const entry = await find(requestId(answer));
    expect(entry).toMatchObject({ outcome: 'failed', charge: null, ...expected });
    if (message) expect(entry.message).toMatch(message);
    expect(entry.http_status).toBe(answer.status);
    expect(JSON.stringify(entry)).not.toContain(SECRET.slice(0, 10));
  },
);

test('a request that a second upstream answered tells of the first, and what it was charged', async () => {
  const gone = await putUpstream(at, ownName('gone'), `http://127.0.0.1:${await freePort()}`, ['one']);
  const pool = { members: [{ upstream: gone }, { upstream: 'simulator', priority: 1 }] };
  const answer = await ask(at.baseUrl, await makeOwnPool(at, pool));
  expect(answer.status).toBe(200);
  const id = requestId(answer);
  const entry = await waitFor(
    async () => {
      const found = await find(id);
      return found.attempts.length > 1 ? found : undefined;
    },
    'both attempts',
    15_000,
  );
  expect(entry.attempts).toMatchObject([
    { upstream: gone, result: 'connect' },
    { upstream: 'simulator', result: 'answered', status: 200 },
  ]);
  expect(entry).toMatchObject({ outcome: 'completed', charge: { request_id: id } });
});

test('what nobody is charged for and does not fail is there too', async () => {
  const answer = await call(`${at.baseUrl}/v1/messages/count_tokens`, {
    headers: { 'x-api-key': at.apiKey },
    body: { model: 'sim-claude', messages: [{ role: 'user', content: 'Hello' }] },
  });
  expect(answer.status).toBe(200);
  const entry = await find(requestId(answer));
  expect(entry).toMatchObject({ outcome: 'free', http_status: 200, error_code: null, charge: null });
});

test('a client that leaves in its body is found by its key', async () => {
  const { key, id } = await makeKey(at);
  const { hostname, port } = new URL(at.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"model"`,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  socket.destroy();
  const entry = await waitFor(
    async () => (await admin(at, 'GET', `/api/requests?key_id=${id}` as '/api/requests')).items[0],
    'the request',
    15_000,
  );
  expect(entry).toMatchObject({
    outcome: 'client_aborted',
    http_status: 499,
    error_code: 'client_closed_request',
  });
});

test('requests of nobody are counted, and counts are exact where records are not kept', async () => {
  const { id: accountId } = await admin(at, 'POST', '/api/accounts', { name: 'Floods' });
  const { key } = await makeKey(at, { account_id: accountId, group: 'default' });
  const count = 700;
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 25)
    statuses.push(
      ...(await Promise.all(Array.from({ length: 25 }, () => send({ model: 'none' }, key)))).map(
        ({ status }) => status,
      ),
    );
  const wrong = `sk-${randomBytes(24).toString('hex')}`;
  expect((await send({}, wrong)).status).toBe(401);
  expect(new Set(statuses)).toEqual(new Set([400]));
  const countsOf = (account: string) =>
    admin(at, 'GET', `/api/requests/counts?account_id=${account}` as '/api/requests/counts');
  const series = await waitFor(
    async () => {
      const [only] = (await countsOf(accountId)).series;
      return only?.requests === count ? only : undefined;
    },
    `${count} counted requests`,
    30_000,
  );
  expect(series).toMatchObject({ http_status: 400, error_code: 'model_not_found' });
  // A burst of 300, and 5 a second.
  expect(series.recorded).toBeGreaterThanOrEqual(300);
  expect(series.recorded).toBeLessThan(count);
  const all = await waitFor(
    async () => (await countsOf('all')).series.find(({ error_code }) => error_code === 'invalid_api_key'),
    'the requests of nobody',
    15_000,
  );
  expect(all.requests).toBeGreaterThan(0);
}, 90_000);
