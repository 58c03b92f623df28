import { waitFor } from '@tollgate/harness';
import { call, GOOD, type Style, STYLES } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { type RawUpstream, startRawUpstream, STREAM_HEAD, whole } from '../faults/raw-upstream.ts';

// What stands at the edges of an answer: its headers, paths that are nearly routes, fields that stand twice, an upstream that
// says its credential or leads back to us. Upstreams that answer with bytes of the test's own, and one that is the gateway.
const at = sharedStack();
const SECRET = 'sk-upstream-secret-XYZ-0123';
const GROUP = 'edges';
let upstream: RawUpstream;
let key: string;

const refusal = JSON.stringify({
  error: { message: `Incorrect API key provided: Bearer ${SECRET}`, type: 'invalid_request_error' },
});

beforeAll(async () => {
  upstream = await startRawUpstream({
    refuses: async (write) =>
      void (await write(whole('application/json', refusal).toString().replace('200 OK', '400 Bad Request'))),
    async breaks(write, socket) {
      await write(
        `${STREAM_HEAD}data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: ${refusal}\n\n`,
      );
      socket.end();
    },
    page: async (write) =>
      void (await write(
        whole(
          'text/html',
          JSON.stringify({
            id: '1',
            model: 'm',
            choices: [
              { index: 0, message: { role: 'assistant', content: '<script>' }, finish_reason: 'stop' },
            ],
            usage: { prompt_tokens: 1, completion_tokens: 1 },
          }),
        ),
      )),
  });
  ({ key } = await makeKey(at, {}));
  const upstreams = {
    ...Object.fromEntries(
      ['refuses', 'breaks', 'page'].map((name) => [name, [`${upstream.url}/${name}`, SECRET]]),
    ),
    loop: [at.baseUrl, key],
  };
  for (const [name, [base_url, secret]] of Object.entries(upstreams)) {
    await admin(at, 'PUT', `/api/catalogue/models/edge-${name}`, {
      vendor: 'openai',
      prices: { input: 1_000_000, output: 1_000_000 },
    });
    await admin(at, 'PUT', `/api/catalogue/upstreams/edge-${name}`, {
      base_url,
      protocols: ['openai-chat'],
      allow_private_addresses: true,
      credentials: [{ name: 'a', secret }],
    });
  }
  const models = Object.keys(upstreams).map((name) => `edge-${name}`);
  await admin(at, 'PUT', `/api/catalogue/groups/${GROUP}`, { ratio: '1', models });
  for (const name of models)
    await admin(at, 'PUT', `/api/catalogue/pools/${name}?before=simulated`, {
      groups: [GROUP],
      models: [name],
      members: [{ upstream: name, model_map: { [name]: name === 'edge-loop' ? name : 'm' } }],
    });
  const { id } = await makeKey(at, { group: GROUP }).then(async (made) => {
    key = made.key;
    return made;
  });
  // The loop comes back with a key that may use the same model.
  const looped = await makeKey(at, { group: GROUP });
  await admin(at, 'PUT', '/api/catalogue/upstreams/edge-loop', {
    base_url: at.baseUrl,
    protocols: ['openai-chat'],
    allow_private_addresses: true,
    credentials: [{ name: 'a', secret: looped.key }],
  });
  expect(id).toBeTruthy();
  for (const url of at.gatewayUrls)
    await waitFor(
      async () => (await call(`${url}/v1/models`, { headers: auth() })).text.includes('edge-loop'),
      'the models',
    );
}, 60_000);
afterAll(() => upstream?.stop());

const auth = (own = key) => ({ authorization: `Bearer ${own}` });
const ask = (model: string, rest: object = {}) =>
  call(`${at.baseUrl}${GOOD.chat.path}`, { headers: auth(), body: { ...GOOD.chat.body, model, ...rest } });

const headersOf = (style: Style): Record<string, string> =>
  style === 'gemini'
    ? { 'x-goog-api-key': at.apiKey }
    : { ...auth(at.apiKey), 'anthropic-version': '2023-06-01' };

test.each<[string, string, object, unknown]>([
  ...STYLES.map((style): [string, string, object, unknown] => [
    `an answer of ${style}`,
    GOOD[style].path,
    headersOf(style),
    GOOD[style].body,
  ]),
  ['a stream', GOOD.chat.path, auth(''), { ...GOOD.chat.body, stream: true }],
  ['a refusal', GOOD.chat.path, {}, GOOD.chat.body],
  ['a bad request', GOOD.chat.path, {}, {}],
  ['the models', '/v1/models', {}, undefined],
  ['a count', '/v1/messages/count_tokens', {}, GOOD.messages.body],
  ['the status', '/api/status', {}, undefined],
  ['what a service behind answers', '/api/setup', {}, undefined],
  ['a path that is no route', '/v1/nothing', {}, undefined],
])('%s is not guessed at and not kept', async (_, path, headers, body) => {
  const own = 'authorization' in headers && headers.authorization === 'Bearer ' ? headersOf('chat') : headers;
  const answer = await call(`${at.baseUrl}${path}`, {
    headers: { ...own },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cache-control')).toMatch(/no-store/);
});

test.each(['/v1/models/%25', '/v1beta/models/a%25b', '/v1/models/%25%32%35', '/v1beta/models/%E0%A4%A'])(
  'GET %s is no failure of ours',
  async (path) => {
    for (const headers of [{}, auth(at.apiKey)])
      expect((await call(`${at.baseUrl}${path}`, { headers: { ...headers } })).status).toBeLessThan(500);
  },
);

test.each(['generateContent', 'streamGenerateContent', 'countTokens'])(
  'GET of a model’s %s is no route, with a key or without',
  async (action) => {
    for (const prefix of ['/v1', '/v1beta'])
      for (const headers of [{}, auth(at.apiKey)]) {
        const path = `${prefix}/models/sim-gemini:${action}`;
        const answer = await call(`${at.baseUrl}${path}`, { headers: { ...headers } });
        expect(answer.status).toBe(404);
        expect(answer.json?.['error']?.['message']).toBe(`Invalid URL (GET ${path})`);
      }
  },
);

test.each(STYLES)('a field that stands twice in a request of %s is refused by its name', async (style) => {
  const [name = ''] = Object.keys(GOOD[style].body);
  const text = JSON.stringify(GOOD[style].body);
  const body = `${text.slice(0, -1)},${JSON.stringify(name)}:"other"}`;
  const answer = await call(`${at.baseUrl}${GOOD[style].path}`, { headers: headersOf(style), body });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(`${name}: stands in the request twice`);
});

test.each([
  ['a refusal', {}, 'edge-refuses', 400],
  ['a refusal of a stream', { stream: true }, 'edge-refuses', 400],
  ['an error in a stream', { stream: true }, 'edge-breaks', 200],
])('an upstream that says its credential in %s is not heard', async (_, rest, model, status) => {
  const answer = await ask(model, rest);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain('Incorrect API key provided: Bearer ***');
  expect(answer.text).not.toContain(SECRET);
});

test('an answer that is said to be a page is none', async () => {
  const answer = await ask('edge-page');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
});

test('an upstream that leads back to this service is refused at once, and says so', async () => {
  const answer = await ask('edge-loop');
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('has come through this service before');
});
