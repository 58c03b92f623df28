import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that no other living process of this machine has. */
export interface SpoolLock {
  release(): Promise<void>;
}

/**
 * Takes a directory for this process, or undefined while another process that lives has it. What holds it is a listening
 * socket named after the path, which ends with its process, however that ends: there is nothing to clean up. Containers
 * with networks of their own do not see each other.
 *
 * @param path absolute and without symbolic links, so that everybody who means the directory calls it the same.
 */
export async function lockSpool(path: string): Promise<SpoolLock | undefined> {
  const name = addressOf(path);
  const server = (await listen(name)) ?? ((await isLeftOver(name)) ? await listen(name) : undefined);
  return server && { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Linux has names of sockets that are no files. */
const WITHOUT_FILE = process.platform === 'linux';

function addressOf(path: string): string {
  const name = `tollgate-spool-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  return WITHOUT_FILE ? `\0${name}` : join(tmpdir(), name);
}

function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ path: name }, () => resolve(server));
  });
}

/** Whether the file of a socket was left by a process that was killed; then it is removed. */
function isLeftOver(name: string): Promise<boolean> {
  if (WITHOUT_FILE) return Promise.resolve(false);
  return new Promise((resolve) => {
    const asking = connect({ path: name }, () => {
      asking.destroy();
      resolve(false);
    });
    asking.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') return resolve(false);
      unlink(name).then(
        () => resolve(true),
        () => resolve(true),
      );
    });
  });
}
