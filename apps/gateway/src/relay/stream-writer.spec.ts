import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { streamWriter } from './stream-writer.ts';

const PARTS = [
  'data: a\n\n',
  '',
  'data: 你好\n\n',
  'x'.repeat(4_096),
  'y'.repeat(100_000),
  'data: [DONE]\n\n',
];

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    // As a stream that has begun before its upstream did.
    response.write(': early\n\n');
    const writer = streamWriter(response);
    for (const part of PARTS) writer.write(Buffer.from(part));
    writer.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test('what is written arrives as it is, and the connection serves the next request', async () => {
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<unknown>();
  for (let n = 0; n < 3; n += 1) {
    const asked = request({ host: '127.0.0.1', port, agent });
    asked.end();
    const [answer] = await once(asked, 'response');
    sockets.add(answer.socket.localPort);
    expect(answer.headers['transfer-encoding']).toBe('chunked');
    expect(await text(answer)).toBe(`: early\n\n${PARTS.join('')}`);
  }
  expect(sockets.size).toBe(1);
  agent.destroy();
});

test('a client of HTTP/1.0 gets the bytes without chunks', async () => {
  const socket = connect({ host: '127.0.0.1', port });
  socket.end('GET / HTTP/1.0\r\n\r\n');
  const [, body] = (await buffer(socket)).toString().split('\r\n\r\n', 2);
  expect(body).toBe(`: early\n\n${PARTS.join('')}`);
});
