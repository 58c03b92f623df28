import { createServer } from 'node:net';

/** A TCP port of the loopback address that was free a moment ago: the preferred one when it is. */
export async function freePort(preferred?: number): Promise<number> {
  return (preferred !== undefined && (await tryPort(preferred))) || (await tryPort(0)) || freePort();
}

/** Whether anything could listen on a port of the loopback address just now. */
export const isFree = async (port: number): Promise<boolean> => (await tryPort(port)) !== undefined;

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : undefined));
    });
  });
}
