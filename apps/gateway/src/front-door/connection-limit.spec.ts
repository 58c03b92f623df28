import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { waitFor } from '@tollgate/harness';
import { limitConnections } from './connection-limit.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function serve(perAddress: number, trusted: readonly string[] = []): Promise<number> {
  const server = createServer();
  servers.push(server);
  limitConnections(server, { perAddress, trusted });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    if (!socket.destroyed) socket.write('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Whether a connection from an address is served. */
const open = (port: number, localAddress = '127.0.0.1'): Promise<{ served: boolean; socket: Socket }> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => resolve({ served: true, socket }));
    socket.once('close', () => resolve({ served: false, socket }));
  });

test('a client has as many connections as it may have, and others are not held up', async () => {
  const port = await serve(3);
  const mine = await Promise.all(Array.from({ length: 5 }, () => open(port)));
  expect(mine.map(({ served }) => served).sort()).toEqual([false, false, true, true, true]);
  expect((await open(port, '127.0.0.2')).served).toBe(true);
});

test('one that ends makes room for another', async () => {
  const port = await serve(1);
  const { socket } = await open(port);
  expect((await open(port)).served).toBe(false);
  socket.destroy();
  await waitFor(async () => (await open(port)).served, 'room');
});

test('a proxy that is trusted has any number', async () => {
  const port = await serve(1, ['127.0.0.0/30']);
  const proxied = await Promise.all(Array.from({ length: 5 }, () => open(port)));
  expect(proxied.map(({ served }) => served)).toEqual(Array(5).fill(true));
  expect((await open(port, '127.0.0.9')).served).toBe(true);
  expect((await open(port, '127.0.0.9')).served).toBe(false);
});
