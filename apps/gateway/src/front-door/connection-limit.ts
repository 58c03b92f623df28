import type { Server } from 'node:net';
import { addressMatcher, clientBlock } from '@tollgate/platform';

/**
 * Closes connections of a client that has as many as it may have. Proxies that we trust bring the connections of many
 * clients and may have any number.
 */
export function limitConnections(
  server: Server,
  options: { readonly perAddress: number; readonly trusted: readonly string[] },
): void {
  const open = new Map<string, number>();
  const isTrusted = addressMatcher(options.trusted);
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const client = clientBlock(remoteAddress);
    const count = open.get(client) ?? 0;
    if (count >= options.perAddress) {
      socket.destroy();
      return;
    }
    open.set(client, count + 1);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
  });
}
