/* Messages that find no room, over a real connection. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { waitFor } from '@tollgate/harness';
import { WebSocket, WebSocketServer } from 'ws';
import { createBodyMemory } from '../body/body-memory.ts';
import { closeOver, watchArrivals } from './arrivals.ts';

const KIB = 1024;
const memory = createBodyMemory({ bodyMemoryBytes: 256 * KIB, keyBodyMemoryBytes: 256 * KIB });
let server: Server;
let url: string;
const received: number[] = [];

beforeAll(async () => {
  const opener = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server = createServer();
  server.on('upgrade', (request, socket, head) =>
    opener.handleUpgrade(request, socket, head, (websocket) => {
      const its = watchArrivals(request.socket, { bodyMemory: memory, keyId: 'key' }, (error) =>
        closeOver(websocket, error, JSON.stringify({ type: 'error', kind: error.kind })),
      );
      websocket.on('close', () => its.end());
      websocket.on('message', (data) => {
        its.takeOver().release();
        received.push((data as Buffer).length);
        websocket.send('heard');
      });
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function open(): Promise<{ socket: WebSocket; heard: string[]; closed: Promise<[number, string]> }> {
  const socket = new WebSocket(url);
  const heard: string[] = [];
  socket.on('message', (data) => heard.push((data as Buffer).toString()));
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)] as [number, string]);
  await once(socket, 'open');
  return { socket, heard, closed };
}

test('a message that finds no room closes its connection with 1013, tells why, and gives all of its memory back', async () => {
  const { socket, heard, closed } = await open();
  socket.send(Buffer.alloc(100 * KIB));
  await once(socket, 'message');
  socket.send(Buffer.alloc(512 * KIB));
  expect(await closed).toEqual([1013, 'rate_limited']);
  expect(heard).toEqual(['heard', '{"type":"error","kind":"rate_limited"}']);
  expect(received).toEqual([100 * KIB]);
  await waitFor(() => memory.heldBytes === 0, 'the memory');
});

test('messages that are read one after the other each have all of the room', async () => {
  const { socket, closed } = await open();
  for (let n = 0; n < 4; n += 1) {
    socket.send(Buffer.alloc(200 * KIB));
    await once(socket, 'message');
  }
  socket.close();
  await closed;
  await waitFor(() => memory.heldBytes === 0, 'the memory');
});
