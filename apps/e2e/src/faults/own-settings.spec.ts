import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { GOOD, type Style } from '../call.ts';
import { admin, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { MEMORY_SETTINGS, realtimeLimitTests } from './realtime-limits.ts';
import { SOCKET_SETTINGS, socketLimitTests } from './socket-limits.ts';

// Limits of the client's address and of a route hold for everybody, and keep-alives and WebSockets are set for a whole
// gateway: they need a stack of their own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-limits-'));
let stack: RunningStack;
let cookie: string;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    env: async (service): Promise<Record<string, string>> =>
      service === 'gateway' ? { KEEP_ALIVE_MS: '150', ...SOCKET_SETTINGS, ...MEMORY_SETTINGS } : {},
  });
  cookie = await signIn(stack.baseUrl, testAdmin);
}, 60_000);

afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Sends a good request from an address of the loopback network. */
function sendFrom(address: string, style: Style): Promise<{ status: number; message: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${stack.baseUrl}${GOOD[style].path}`,
      {
        method: 'POST',
        localAddress: address,
        headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          const body = JSON.parse(text) as { error?: { message: string } };
          resolve({ status: answer.statusCode ?? 0, message: body.error?.message ?? '' });
        });
      },
    );
    request.on('error', reject);
    request.end(JSON.stringify(GOOD[style].body));
  });
}

async function setLimits(limits: object): Promise<void> {
  const { version } = await admin({ ...stack, cookie }, 'PUT', '/api/catalogue/limits', limits);
  await waitFor(async () => {
    const answer = await fetch(`${stack.baseUrl}/api/status`);
    const { data } = (await answer.json()) as { data: { pricing_version: number } };
    return data.pricing_version >= version;
  }, 'the new limits');
}

test('requests per minute of a client address: another address is not held up', async () => {
  await setLimits({ client: { requests_per_minute: 3 }, key: {}, route: {} });
  const mine = await Promise.all(Array.from({ length: 8 }, () => sendFrom('127.0.0.2', 'chat')));
  expect(mine.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(mine.find(({ status }) => status === 429)?.message).toContain(
    '3 requests per minute for your address',
  );
  expect((await sendFrom('127.0.0.3', 'chat')).status).toBe(200);
});

test('requests per minute of a route: the other routes are not held up', async () => {
  await setLimits({ client: {}, key: {}, route: { 'anthropic-messages': { requests_per_minute: 2 } } });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await sendFrom('127.0.0.1', 'messages')).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await sendFrom('127.0.0.1', 'messages')).message).toContain('this endpoint');
  expect((await sendFrom('127.0.0.1', 'chat')).status).toBe(200);
});

test.each([
  ['chat', { ...GOOD.chat.body, stream: true }, GOOD.chat.path, /^(: keep-alive\n\n)+data: /],
  ['responses', { ...GOOD.responses.body, stream: true }, GOOD.responses.path, /^(: keep-alive\n\n)+event: /],
  [
    'messages',
    { ...GOOD.messages.body, stream: true },
    GOOD.messages.path,
    /^(event: ping\ndata: \{"type":"ping"\}\n\n)+event: message_start/,
  ],
  ['gemini', GOOD.gemini.body, '/v1beta/models/sim-gemini:streamGenerateContent?alt=sse', /^\n+data: /],
] as const)(
  'while an upstream thinks, %s gets the keep-alive that its clients bear',
  async (_style, body, path, start) => {
    const headers = { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' };
    await setLimits({ client: {}, key: {}, route: {} });
    const script = JSON.stringify({ first_delay_ms: 900 });
    // A gateway that stands still while the upstream thinks has nothing to keep alive.
    await waitFor(async () => {
      const answer = await fetch(`${stack.baseUrl}${path}`, {
        method: 'POST',
        headers: { ...headers, 'x-sim-script': script },
        body: JSON.stringify(body),
      });
      return start.test(await answer.text());
    }, 'an answer that begins so');
  },
);

describe('WebSocket connections', () => {
  beforeAll(() => setLimits({ client: {}, key: {}, route: {} }));
  socketLimitTests(() => ({ ...stack, cookie }));
});

describe('Realtime sessions', () => {
  beforeAll(() => setLimits({ client: {}, key: {}, route: {} }));
  realtimeLimitTests(() => ({ ...stack, home, cookie }));
});
