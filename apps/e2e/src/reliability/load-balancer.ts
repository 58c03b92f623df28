import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A small TCP load balancer, in a process of its own, that asks each of its targets whether it is ready. */
export interface LoadBalancer {
  readonly url: string;
  /** The targets that get connections at the moment. */
  readonly ready: () => string[];
  /** Connections under way to a target. */
  readonly open: (target: string) => Promise<number>;
  stop(): Promise<void>;
}

/** Asks how many connections to a target are under way. */
export interface ToBalancer {
  readonly howMany: string;
}
export type FromBalancer =
  | { readonly port: number; readonly ready: string[] }
  | { readonly ready: string[] }
  | { readonly open: number };

const PROGRAM = join(import.meta.dirname, 'load-balancer-process.ts');

/** Connections go to the ready targets in turn; one that refuses a connection is passed over. */
export async function startLoadBalancer(targets: readonly string[]): Promise<LoadBalancer> {
  const balancer = fork(PROGRAM, [...targets], { execArgv: [], env: { PATH: process.env['PATH'] ?? '' } });
  let ready: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    balancer.once('exit', (code) => reject(new Error(`the load balancer ended with ${code}`)));
    balancer.on('message', (message: FromBalancer) => {
      if ('ready' in message) ({ ready } = message);
      if ('port' in message) resolve(message.port);
    });
  });
  let asking: Promise<number> = Promise.resolve(0);
  return {
    url: `http://127.0.0.1:${port}`,
    ready: () => ready,
    open: (target) => (asking = asking.then(() => askOpen(balancer, target))),
    async stop() {
      if (balancer.exitCode !== null || balancer.signalCode !== null) return;
      const ended = once(balancer, 'exit');
      balancer.disconnect();
      await ended;
    },
  };
}

function askOpen(balancer: ChildProcess, target: string): Promise<number> {
  return new Promise((resolve) => {
    const hear = (message: FromBalancer) => {
      if (!('open' in message)) return;
      balancer.off('message', hear);
      resolve(message.open);
    };
    balancer.on('message', hear);
    balancer.send({ howMany: target } satisfies ToBalancer);
  });
}
