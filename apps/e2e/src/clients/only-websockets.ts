import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/**
 * A way to a gateway for WebSockets alone: every other request is a 404, so that whoever comes through has used one.
 *
 * @returns its address, and how to close it.
 */
export async function openOnlyToWebSockets(
  baseUrl: string,
): Promise<{ readonly url: string; close(): void }> {
  const { hostname, port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', ({ method, url, rawHeaders }, client: Socket, head: Buffer) => {
    const gateway = connect(Number(port), hostname);
    for (const socket of [client, gateway]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [client, gateway].forEach((each) => each.destroy()));
    }
    const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    gateway.write(`${method} ${url} HTTP/1.1\r\n${headers}\r\n`);
    gateway.write(head);
    client.pipe(gateway).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
