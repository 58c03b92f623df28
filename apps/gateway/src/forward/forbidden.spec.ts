/*
 * An upstream of our own refuses with a status and a body of our choice; another one stands by. What a caller asks for must
 * not take a credential from all others.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  type Forwarding,
  outcome,
  simulate,
  type Simulated,
  startForwarding,
  upstream,
} from '../../testing/forwarding.ts';

let other: Simulated;
let refusing: Server;
let answer: { status: number; body: Buffer | string; headers?: Record<string, string> };
let forwarding: Forwarding;

beforeAll(async () => {
  other = await simulate();
  refusing = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body);
  });
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
});
afterAll(async () => {
  refusing.close();
  await other.close();
});
beforeEach(() => {
  const { port } = refusing.address() as AddressInfo;
  forwarding = startForwarding({
    upstreams: [upstream('refusing', `http://127.0.0.1:${port}`, ['a']), upstream('other', other.url, ['b'])],
    pool: { members: [{ upstream: 'refusing' }, { upstream: 'other', priority: 1 }], retry_percent: 100 },
  });
});
afterEach(() => forwarding.close());

const view = () => forwarding.stages[0]?.candidates[0]?.target.view();
const say = (value: unknown) => JSON.stringify(value);

test.each([
  ['a page', '<html><title>403 Forbidden</title></html>', {}],
  ['nothing', '', {}],
  ['a file of somebody else', say({ error: { code: 403, message: 'No such File, or not yours.' } }), {}],
  ['a model', say({ message: 'No access to that model.' }), { 'x-amzn-errortype': 'AccessDeniedException' }],
  ['JSON without an object', 'null', {}],
  ['what is packed', gzipSync(say({ error: { message: 'No.' } })), { 'content-encoding': 'gzip' }],
])(
  'a 403 that says %s sends each request elsewhere, and leaves the credential in use',
  async (_, body, headers) => {
    answer = { status: 403, body, headers };
    for (let time = 0; time < 10; time += 1) expect(outcome(await forwarding.send())).toBe('other as m');
    expect(view()).toMatchObject({ availability: 'ready', state: 'closed', disabledSince: null });
    expect(view()?.lastError).toMatchObject({ reason: 'status 403' });
  },
);

test('a 401 that says that the credential may not do this one thing leaves it in use', async () => {
  const message =
    'You have insufficient permissions for this operation. Missing scopes: api.responses.write.';
  answer = { status: 401, body: say({ error: { message, type: 'invalid_request_error', code: null } }) };
  for (let time = 0; time < 10; time += 1) expect(outcome(await forwarding.send())).toBe('other as m');
  expect(view()).toMatchObject({ availability: 'ready', state: 'closed', disabledSince: null });
});

test.each([
  ['with a page', 401, '<html>', {}],
  ['with nothing', 401, '', {}],
  ['by its reason', 403, say({ error: { code: 403, details: [{ reason: 'CONSUMER_SUSPENDED' }] } }), {}],
  ['with 400', 400, say({ error: { code: 400, details: [{ reason: 'API_KEY_INVALID' }] } }), {}],
  ['in a header', 403, '{}', { 'x-amzn-errortype': 'UnrecognizedClientException' }],
  ['packed', 403, gzipSync(say({ error: { code: 'invalid_api_key' } })), { 'content-encoding': 'gzip' }],
])(
  'a credential that is refused %s is not used again, and the next one answers',
  async (_, status, body, headers) => {
    answer = { status, body, headers };
    expect(outcome(await forwarding.send())).toBe('other as m');
    expect(view()).toMatchObject({ availability: 'disabled' });
  },
);

test('contents that are refused with 403 are the caller’s fault: nobody else is asked, and our account is not named', async () => {
  const error = 'Content violates usage guidelines. Team: team-of-ours, API key ID: id-of-ours';
  answer = { status: 403, body: say({ code: 'permission-denied', error }) };
  for (let time = 0; time < 10; time += 1) {
    const got = await forwarding.send();
    if (got.kind !== 'answer') throw new Error(`it is ${got.kind}`);
    got.settle(null);
    expect(got.status).toBe(400);
    expect(JSON.parse(got.body.toString())).toMatchObject({
      error: { message: expect.stringContaining('refused the contents'), type: 'invalid_request_error' },
    });
    expect(got.body.toString()).not.toContain('of-ours');
  }
  expect(view()).toMatchObject({ availability: 'ready', state: 'closed', volume: 0 });
});

test('answers that are longer than is held send each request elsewhere, and no upstream out of use', async () => {
  answer = { status: 200, body: `{"choices":[],"padding":"${'x'.repeat(2_000_000)}"}` };
  for (let time = 0; time < 10; time += 1) expect(outcome(await forwarding.send())).toBe('other as m');
  expect(view()).toMatchObject({ availability: 'ready', state: 'closed', volume: 0 });
});

test('a caller is told that it may be either, where nobody else is left', async () => {
  answer = { status: 403, body: '{}' };
  await other.script({ status: 403 });
  const got = await forwarding.send();
  expect(got).toMatchObject({
    kind: 'failed',
    error: { kind: 'upstream_error', message: expect.stringContaining('forbids what was asked') },
  });
});
