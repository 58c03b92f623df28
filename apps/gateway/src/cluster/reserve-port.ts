import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * A port that nobody listens on: the one that is asked for, or any where that is 0. Processes that share a port would not
 * notice that another program has it too.
 *
 * @throws EADDRINUSE where it is taken.
 */
export async function reservePort(host: string, port: number): Promise<number> {
  const server = createServer();
  server.listen({ host, port });
  await once(server, 'listening');
  const { port: reserved } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return reserved;
}
