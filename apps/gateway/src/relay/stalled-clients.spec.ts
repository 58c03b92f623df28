// A client takes nothing of a sound until its connection is full; then it leaves, or its upstream breaks off.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { waitFor } from '@tollgate/harness';
import { createBytesMeter } from '@tollgate/metering';
import { createResponseRewriter } from '@tollgate/protocols';
import { sendStream, type StreamEnd } from './send-stream.ts';

const SOUND = Buffer.alloc(64 * 1_024, 1);
/** More than the connection holds. */
const PIECES = 400;
/** As for an answer that is kept for its repeat: nobody is told that the client is gone. */
const UNTOLD = { gone: new AbortController().signal, ended: new AbortController().signal };

let server: Server;
let upstream: PassThrough;
let response: ServerResponse;
let over: Promise<StreamEnd>;
let client: IncomingMessage;
beforeEach(async () => {
  upstream = new PassThrough();
  server = createServer((_request, answer) => {
    response = answer;
    over = sendStream(answer, upstream, {
      protocol: 'openai-chat',
      framing: 'none',
      rewriter: createResponseRewriter('openai-chat', { stream: 'none' }),
      meter: createBytesMeter({ tokens: 3, units: {} }),
      keepAliveMs: 60_000,
      eventLimitBytes: 1_000_000,
      keptLimitBytes: 1_000_000,
      departure: UNTOLD,
      onFirstByte: () => {},
      onFailed: () => {},
      beforeEnd: () => Promise.resolve(),
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
  for (let piece = 0; piece < PIECES; piece += 1) upstream.write(SOUND);
  [client] = (await once(asking, 'response')) as [IncomingMessage];
  client.on('error', () => {});
  await waitFor(() => upstream.isPaused(), 'a full connection');
});
afterEach(async () => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test('an answer that is kept is read to its end when its client leaves, though nobody takes it any more', async () => {
  client.destroy();
  await once(response, 'close');
  upstream.end();
  expect(await over).toEqual({ end: 'client_aborted', read: 'whole' });
});

test('an upstream that breaks off while its client has long taken nothing was kept waiting by it', async () => {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
  upstream.destroy(new Error('reset'));
  expect(await over).toEqual({ end: 'client_aborted', read: 'given_up' });
  expect(response.destroyed).toBe(true);
});

test('one that breaks off while its client is slow for a moment has done so itself', async () => {
  upstream.destroy(new Error('reset'));
  expect(await over).toEqual({ end: 'upstream_cut', read: 'cut' });
  expect(response.destroyed).toBe(true);
});

test('a client that reads on is slow no longer', async () => {
  client.resume();
  await waitFor(() => upstream.readableLength === 0 && !upstream.isPaused(), 'all of it');
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
  upstream.destroy(new Error('reset'));
  expect(await over).toEqual({ end: 'upstream_cut', read: 'cut' });
});
