import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';

/** A small TCP load balancer that asks each of its targets whether it is ready. */
export interface LoadBalancer {
  readonly url: string;
  /** The targets that get connections at the moment. */
  readonly ready: () => string[];
  /** Connections under way to a target. */
  readonly open: (target: string) => number;
  stop(): Promise<void>;
}

const CHECK_EVERY_MS = 100;
const CHECK_PATIENCE_MS = 1_000;

/** Connections go to the ready targets in turn; one that refuses a connection is passed over. */
export async function startLoadBalancer(targets: readonly string[]): Promise<LoadBalancer> {
  const ready = new Set<string>();
  const open = new Map<string, Set<Socket>>(targets.map((target) => [target, new Set()]));
  let turn = 0;

  const check = async (target: string) => {
    if (await isReady(target)) ready.add(target);
    else ready.delete(target);
  };
  const checks = setInterval(() => targets.forEach((target) => void check(target)), CHECK_EVERY_MS);

  /** Those that are ready, from the next in turn on; when none is, all of them. */
  const inTurn = (): string[] => {
    const now = targets.filter((target) => ready.has(target));
    const choice = now.length > 0 ? now : [...targets];
    turn += 1;
    return choice.map((_, index) => choice[(turn + index) % choice.length] ?? '');
  };

  const pass = (client: Socket, [target, ...others]: readonly string[]): void => {
    if (target === undefined || client.destroyed) return void client.destroy();
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    upstream.once('error', () => {
      ready.delete(target);
      pass(client, others);
    });
    upstream.once('connect', () => {
      upstream.removeAllListeners('error').on('error', () => upstream.destroy());
      open.get(target)?.add(upstream);
      client.pipe(upstream).pipe(client);
      client.once('close', () => upstream.destroy());
      upstream.once('close', () => {
        open.get(target)?.delete(upstream);
        client.destroy();
      });
    });
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => client.destroy());
    pass(client, inTurn());
  });
  await Promise.all(targets.map(check));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address !== 'object') throw new Error('the load balancer has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    ready: () => [...ready],
    open: (target) => open.get(target)?.size ?? 0,
    stop() {
      clearInterval(checks);
      for (const sockets of open.values()) for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
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
