import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort, isFree } from './ports.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { waitFor } from './wait-for.ts';

let echo: Server;
let echoed: number;
let proxy: TcpProxy;

beforeEach(async () => {
  echoed = 0;
  const port = await freePort();
  echo = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      echoed += data.length;
      socket.write(data);
    });
  });
  await new Promise<void>((resolve) => echo.listen(port, '127.0.0.1', resolve));
  proxy = await startTcpProxy({ port });
});

afterEach(async () => {
  await proxy.stop();
  await new Promise((resolve) => echo.close(resolve));
});

interface Client {
  readonly socket: Socket;
  heard: string;
  state: 'open' | 'closed';
}

/** Connects to the proxy and notes what it hears. */
function client(): Client {
  const socket = connect(proxy.port, '127.0.0.1');
  const made: Client = { socket, heard: '', state: 'open' };
  socket.on('data', (data) => (made.heard += data.toString()));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => (made.state = 'closed'));
  return made;
}

test('passes bytes both ways, for many connections at once', async () => {
  const clients = Array.from({ length: 20 }, client);
  clients.forEach(({ socket }, index) => socket.write(`hello ${index}`));
  await waitFor(() => clients.every(({ heard }, index) => heard === `hello ${index}`), 'the echoes');
  clients[0]?.socket.end();
  await waitFor(() => clients[0]?.state === 'closed', 'the end');
  expect(clients.slice(1).every(({ state }) => state === 'open')).toBe(true);
});

test('a cut ends the connections that there are and the new ones', async () => {
  const before = client();
  before.socket.write('a');
  await waitFor(() => before.heard === 'a', 'the echo');
  proxy.cut();
  await waitFor(() => before.state === 'closed', 'the end of the connection');
  const after = client();
  after.socket.write('b');
  await waitFor(() => after.state === 'closed', 'the end of the new connection');
  expect([after.heard, echoed]).toEqual(['', 1]);
});

test('a black hole takes bytes of old and new connections, passes none on and ends none', async () => {
  const before = client();
  before.socket.write('a');
  await waitFor(() => before.heard === 'a', 'the echo');
  proxy.blackhole();
  const after = client();
  await Promise.all(
    [before, after].map(({ socket }) => new Promise((resolve) => socket.write('lost', resolve))),
  );
  const state = [before.state, after.state, before.heard, after.heard, echoed];
  expect(state).toEqual(['open', 'open', 'a', '', 1]);
});

test('connections that are lost take bytes and say nothing, and new ones pass bytes', async () => {
  const before = client();
  before.socket.write('a');
  await waitFor(() => before.heard === 'a', 'the echo');
  proxy.lose();
  await new Promise((resolve) => before.socket.write('lost', resolve));
  const after = client();
  after.socket.write('b');
  await waitFor(() => after.heard === 'b', 'the echo of the new connection');
  expect([before.state, before.heard, echoed]).toEqual(['open', 'a', 2]);
});

test.each(['cut', 'blackhole'] as const)('passes bytes again after a %s', async (fault) => {
  const before = client();
  before.socket.write('a');
  await waitFor(() => before.heard === 'a', 'the echo');
  proxy[fault]();
  proxy.restore();
  await waitFor(() => before.state === 'closed', 'the end of the connection from before');
  const after = client();
  after.socket.write('again');
  await waitFor(() => after.heard === 'again', 'the echo');
});

test('frees its port when it is stopped, even with connections open', async () => {
  const open = client();
  open.socket.write('a');
  await waitFor(() => open.heard === 'a', 'the echo');
  expect(await isFree(proxy.port)).toBe(false);
  await proxy.stop();
  expect(await isFree(proxy.port)).toBe(true);
});

test('a delay holds bytes up each way and keeps their order', async () => {
  const { socket } = client();
  const heard = { text: '', at: 0 };
  socket.on('data', (data) => {
    heard.text += data.toString();
    heard.at = performance.now();
  });
  proxy.delay(150);
  const sentAt = performance.now();
  socket.write('one ');
  setTimeout(() => socket.write('two'), 20);
  await waitFor(() => heard.text === 'one two', 'the echo');
  expect(heard.at - sentAt).toBeGreaterThan(290);
});

test.each([
  ['is taken away', 150, 0],
  ['gets shorter', 150, 20],
])('bytes that are held up stay before those that come once the delay %s', async (_how, before, after) => {
  const one = client();
  proxy.delay(before);
  one.socket.write('one ');
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.delay(after);
  one.socket.write('two ');
  await waitFor(() => echoed >= 4, 'the first');
  one.socket.write('three');
  await waitFor(() => one.heard.length === 13, 'the echo');
  expect(one.heard).toBe('one two three');
});
