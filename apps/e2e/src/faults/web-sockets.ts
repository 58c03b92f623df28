import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { makeKey } from '../shared-stack.ts';
import { openResponses, readResponse, type ResponsesSocket } from '../websocket-client.ts';
import type { FaultStack } from './fault-stack.ts';

const MAX_GROWTH = 200 * 1024 * 1024;
const MODEL = 'sim-responses';

let stack: FaultStack;
let url: string;
let books: Books;
let key: string;
let keyId: string;
const gateway = () => stack.service('gateway-2');
const ready = () =>
  call(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
const open = (script: object = {}) =>
  openResponses(url, key, { headers: { 'x-sim-script': JSON.stringify(script) } });
const ask = (connection: ResponsesSocket) => connection.ask({ model: MODEL, input: 'Hello' });
const rows = async () =>
  Number(
    (await books.one('SELECT count(*)::int AS rows FROM billing.usage WHERE key_id = $1', [keyId]))['rows'],
  );

async function holdUp(): Promise<void> {
  const memory = () =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(gateway().pid())], { encoding: 'utf8' })) * 1_024;
  await ask(await open());
  const before = memory();
  const connections = await Promise.all([1, 2].map(() => open({ words: 100_000 })));
  for (const connection of connections) {
    connection.send({ type: 'response.create', model: MODEL, input: 'Hello' });
    await connection.next(({ type }) => type === 'response.created');
    connection.socket.pause();
  }
  await sleep(3_000);
  expect(memory() - before).toBeLessThan(MAX_GROWTH);
  expect(readResponse(await ask(await open())).text).toBe('Echo: Hello');
  expect(connections.map(({ events }) => events.some(({ type }) => type === 'response.completed'))).toEqual([
    false,
    false,
  ]);
  for (const { socket } of connections) socket.terminate();
}

/** WebSocket connections whose gateway is asked to stop, or killed, and clients that do not read. */
export function webSocketTests(findStack: () => FaultStack): void {
  beforeAll(async () => {
    stack = findStack();
    url = stack.gatewayUrls[1] ?? '';
    books = openBooks(stack.databaseUrl);
    await waitFor(ready, 'the gateway', 30_000);
  }, 40_000);
  beforeEach(async () => {
    ({ key, id: keyId } = await makeKey(stack, {}));
  });
  afterAll(() => books.close());

  test('a gateway that is asked to stop answers what is under way and sends its clients away with 1012', async () => {
    const idle = await open();
    const busy = await open({ chunk_delay_ms: 100, words: 20 });
    busy.send({ type: 'response.create', model: MODEL, input: 'Hello' });
    await busy.next(({ type }) => type === 'response.created');
    const stopped = gateway().stop(30_000);
    expect([await idle.closed, await busy.closed]).toEqual([1012, 1012]);
    expect(readResponse(busy.events).response).toMatchObject({ status: 'completed' });
    await stopped;
    gateway().start();
    await waitFor(ready, 'the gateway', 30_000);
    await waitFor(async () => (await rows()) === 1, 'the row', 20_000, 100);
  }, 60_000);

  test('a gateway that is killed: every response that was ended is in the books, and once', async () => {
    const connection = await open();
    const ids: string[] = [];
    for (let turns = 0; turns < 5; turns += 1) ids.push(readResponse(await ask(connection)).requestId);
    gateway().kill();
    expect(await connection.closed).toBe(1006);
    await waitFor(ready, 'the gateway', 30_000);
    await waitFor(async () => (await rows()) === ids.length, 'the rows', 20_000, 100);
    const { headers } = await call(`${url}/v1/responses`, {
      headers: { authorization: `Bearer ${key}` },
      body: { model: MODEL, input: 'Hello' },
    });
    const posted = headers.get('x-request-id') ?? '';
    const { cost_pico: cost } = await books.usage(posted);
    for (const id of ids) expect((await books.usage(id)).cost_pico).toBe(cost);
  }, 60_000);

  test('clients that do not read hold up their upstreams, and no memory', holdUp, 60_000);
}
