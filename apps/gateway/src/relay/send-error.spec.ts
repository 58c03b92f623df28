import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { relayError } from '@tollgate/protocols';
import { sendError } from './send-error.ts';

let server: Server;
beforeEach(async () => {
  server = createServer((incoming, response) =>
    sendError(
      { incoming, response, protocol: 'openai-chat', requestId: 'req_1' },
      relayError('rate_limited', 'There is no room.'),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a head and so many bytes; what comes back until the connection is closed, and how it was. */
function send(declared: number, sent: number): Promise<{ text: string; end: string }> {
  return new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    let end = 'closed';
    socket.on('data', (bytes) => (text += bytes.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (end = error.code ?? 'error'));
    socket.on('close', () => resolve({ text, end }));
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nconnection: keep-alive\r\ncontent-length: ${declared}\r\n\r\n`,
    );
    for (let at = 0; at < sent; at += 1_000_000)
      socket.write(Buffer.alloc(Math.min(1_000_000, sent - at), 'x'));
  });
}

test('who still sends a large body gets the whole refusal, and its connection is closed without a reset', async () => {
  // More than sockets hold by themselves, and little enough to come within the two seconds on a busy machine.
  const { text, end } = await send(8_000_000, 8_000_000);
  expect(text).toMatch(/^HTTP\/1\.1 429 /);
  expect(text).toContain('connection: close');
  expect(text).toMatch(/There is no room\..*\}$/s);
  expect(end).toBe('closed');
});

test('who states a large body and sends nothing more has the refusal at once, and is closed soon', async () => {
  const { text, end } = await send(30_000_000, 10);
  expect(text).toMatch(/There is no room\..*\}$/s);
  expect(end).toBe('closed');
});
