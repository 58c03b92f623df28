import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { waitFor } from '@tollgate/harness';
import { call } from '../call.ts';
import { makeKey, type TestStack } from '../shared-stack.ts';
import { isEnd, openResponses, type ResponsesSocket } from '../websocket-client.ts';

const IN_ALL = 4;
const PER_KEY = 2;

/** What the gateway of these tests is told of WebSocket connections. */
export const SOCKET_SETTINGS = {
  WEBSOCKETS: String(IN_ALL),
  WEBSOCKETS_PER_KEY: String(PER_KEY),
  WEBSOCKET_IDLE_S: '6',
  WEBSOCKET_AGE_S: '10',
};

const MODEL = 'sim-responses';
const FULL = 'Unexpected server response: 426';

let baseUrl: string;
let cookie: string;
const opened: ResponsesSocket[] = [];

async function open(key: string, script: object = {}): Promise<ResponsesSocket> {
  const socket = await openResponses(baseUrl, key, { headers: { 'x-sim-script': JSON.stringify(script) } });
  opened.push(socket);
  return socket;
}

const newKey = async () => (await makeKey({ baseUrl, cookie })).key;
const post = (key: string) =>
  call(`${baseUrl}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: MODEL, input: 'Hello' },
  });

/** Each either a connection, or why there is none. */
const openMany = (key: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => open(key).catch((error: Error) => error.message)));

/** Resolves once there is room again for as many as a key may have. */
const opensAll = (key: string) =>
  waitFor(
    async () => {
      const sockets = await openMany(key, PER_KEY);
      const all = sockets.every((each) => typeof each !== 'string');
      if (!all) for (const each of sockets) if (typeof each !== 'string') each.socket.terminate();
      return all;
    },
    'room for connections',
    10_000,
    50,
  );

async function askAndLeave(key: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines = [
    'GET /v1/responses HTTP/1.1',
    `Host: ${hostname}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Authorization: Bearer ${key}`,
  ];
  await new Promise<void>((resolve) => void socket.write(`${lines.join('\r\n')}\r\n\r\n`, () => resolve()));
  socket.destroy();
}

function endTests(): void {
  test('one that is silent is closed, one that is old once its response is answered; each is told why', async () => {
    const key = await newKey();
    const [silent, busy] = await Promise.all([open(key), open(key, { chunk_delay_ms: 700, words: 18 })]);
    busy.send({ type: 'response.create', model: MODEL, input: 'Hello' });
    expect(await silent.closed).toBe(1001);
    expect(silent.events).toMatchObject([{ type: 'error', status: 408 }]);
    expect(await busy.closed).toBe(1001);
    const [end, told] = busy.events.slice(-2);
    expect(end).toMatchObject({ type: 'response.completed' });
    expect(told).toMatchObject({
      type: 'error',
      status: 400,
      error: { code: 'websocket_connection_limit_reached' },
    });
  }, 30_000);

  test('a key that expires in the middle of a response: that is answered, and nothing after it', async () => {
    const connection = await waitFor(beginAndExpire, 'a key that expires in the middle', 60_000);
    connection.send({ type: 'response.create', model: MODEL, input: 'Hello again' });
    expect(await connection.closed).toBe(1008);
    const ends = connection.events.filter(isEnd);
    expect(ends.map(({ type }) => type).toSorted()).toEqual(['error', 'error', 'response.completed']);
    expect(ends.filter(({ type }) => type === 'error')).toMatchObject(
      Array.from({ length: 2 }, () => ({ status: 401, error: { code: 'api_key_expired' } })),
    );
  }, 60_000);
}

/** A connection in the middle of a response whose key has expired; none where the machine stood still meanwhile. */
async function beginAndExpire(): Promise<ResponsesSocket | undefined> {
  const expires_at = new Date(Date.now() + 1_500).toISOString();
  const { key } = await makeKey({ baseUrl, cookie }, { expires_at });
  const connection = await open(key, { chunk_delay_ms: 300, words: 25 }).catch(() => undefined);
  connection?.send({ type: 'response.create', model: MODEL, input: 'Hello' });
  await connection?.next((event) => event.type === 'response.created' || isEnd(event));
  await waitFor(() => Date.now() > Date.parse(expires_at) + 1_100, 'its end');
  return connection?.events.some(isEnd) ? undefined : connection;
}

function numberTests(): void {
  test('beyond those of a key, and those of the process, the answer is 426, and POST is served', async () => {
    const [first, second, third] = await Promise.all([newKey(), newKey(), newKey()]);
    await Promise.all([open(first), open(first)]);
    await expect(open(first)).rejects.toThrow(FULL);
    await Promise.all([open(second), open(second)]);
    await expect(open(third)).rejects.toThrow(FULL);
    expect((await post(third)).status).toBe(200);
    opened[0]?.socket.close();
    await opened[0]?.closed;
    await waitFor(() => open(third).catch(() => undefined), 'the place of the one that was closed', 5_000);
  });

  test('of very many that one key opens at once two are opened, and the others leave nothing behind', async () => {
    const key = await newKey();
    const sockets = await openMany(key, 100);
    const refused = sockets.filter((each) => typeof each === 'string');
    expect(refused.map((message) => message.slice(0, FULL.length))).toEqual(
      Array.from({ length: 100 - PER_KEY }, () => FULL),
    );
    expect((await post(key)).status).toBe(200);
    for (const each of sockets) if (typeof each !== 'string') each.socket.terminate();
    await opensAll(key);
  }, 30_000);

  test('who asks for very many and reads no answer, or has no key, takes no place of others', async () => {
    const key = await newKey();
    const wrong = `sk-${randomBytes(24).toString('hex')}`;
    await Promise.all(Array.from({ length: 100 }, (_, n) => askAndLeave(n % 2 ? key : wrong)));
    await opensAll(key);
  }, 30_000);
}

/** How many WebSocket connections there may be, and for how long, and who opens very many. */
export function socketLimitTests(findStack: () => Pick<TestStack, 'baseUrl' | 'cookie'>): void {
  beforeAll(() => {
    ({ baseUrl, cookie } = findStack());
  });
  afterEach(async () => {
    for (const { socket, closed } of opened.splice(0)) {
      socket.terminate();
      await closed;
    }
  });

  endTests();
  numberTests();
}
