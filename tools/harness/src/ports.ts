import { createServer } from 'node:net';

/** Below those that Linux gives to outgoing connections: what is free stays free until somebody listens there. */
const RANGE = { from: 10_240, to: 32_768 };
/** Processes that look for ports at the same time, such as the workers of a test run, look in different parts of it. */
const WORKERS = 8;
const SIZE = (RANGE.to - RANGE.from) / WORKERS;
const worker = Number(process.env['TEST_WORKER'] ?? process.pid) % WORKERS;
let next = Math.floor(Math.random() * SIZE);

/** A TCP port of the loopback address that was free a moment ago: the preferred one when it is. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < SIZE; tries += 1) {
    next = (next + 1) % SIZE;
    const port = RANGE.from + worker * SIZE + next;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${RANGE.from} to ${RANGE.to} is free`);
}

/** Whether anything could listen on a port of the loopback address just now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
