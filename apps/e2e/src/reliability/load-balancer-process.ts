// A small TCP load balancer that asks each of its targets whether it is ready. Its targets are its arguments; it tells
// its parent its port, then who is ready, and how many connections there are and were when it is asked. It ends with its parent.
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import type { FromBalancer, ToBalancer } from './load-balancer.ts';

const CHECK_EVERY_MS = 100;
const CHECK_PATIENCE_MS = 1_000;
const BACKLOG = 4_096;

const targets = process.argv.slice(2);
const ready = new Set<string>();
const open = new Map<string, number>();
const opened = new Map<string, number>();
let turn = 0;

const tell = (message: FromBalancer) => void process.send?.(message);

async function check(target: string): Promise<void> {
  set(target, await isReady(target));
}
function set(target: string, isReady: boolean): void {
  if (ready.has(target) === isReady) return;
  if (isReady) ready.add(target);
  else ready.delete(target);
  tell({ ready: [...ready] });
}

function isReady(target: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request(`${target}/readyz`, { agent: false, timeout: CHECK_PATIENCE_MS }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(false));
    asking.end();
  });
}

/** Those that are ready, from the next in turn on; when none is, all of them. */
function inTurn(): string[] {
  const now = targets.filter((target) => ready.has(target));
  const choice = now.length > 0 ? now : targets;
  turn += 1;
  return choice.map((_, index) => choice[(turn + index) % choice.length] ?? '');
}

/** Connections go to the ready targets in turn; one that refuses a connection is passed over. */
function pass(client: Socket, [target, ...others]: readonly string[]): void {
  if (target === undefined || client.destroyed) return void client.destroy();
  const { hostname, port } = new URL(target);
  const upstream = connect(Number(port), hostname);
  upstream.once('error', () => {
    set(target, false);
    pass(client, others);
  });
  upstream.once('connect', () => {
    upstream.removeAllListeners('error').on('error', () => upstream.destroy());
    open.set(target, (open.get(target) ?? 0) + 1);
    opened.set(target, (opened.get(target) ?? 0) + 1);
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      open.set(target, (open.get(target) ?? 0) - 1);
      client.destroySoon();
    });
  });
}

const server = createServer({ allowHalfOpen: true }, (client) => {
  client.on('error', () => client.destroy());
  pass(client, inTurn());
});
process.on('disconnect', () => process.exit());
process.on('message', ({ howMany }: ToBalancer) =>
  tell({ connections: { open: open.get(howMany) ?? 0, opened: opened.get(howMany) ?? 0 } }),
);
await Promise.all(targets.map(check));
setInterval(() => targets.forEach((target) => void check(target)), CHECK_EVERY_MS);
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => {
  const address = server.address();
  if (address && typeof address === 'object') tell({ port: address.port, ready: [...ready] });
});
