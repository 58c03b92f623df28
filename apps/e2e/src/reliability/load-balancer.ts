import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A small TCP load balancer, in a process of its own, that asks each of its targets whether it is ready. */
export interface LoadBalancer {
  readonly url: string;
  /** The targets that get connections at the moment. */
  readonly ready: () => string[];
  readonly connections: (target: string) => Promise<Connections>;
  stop(): Promise<void>;
}

/** Those to one target. */
interface Connections {
  /** Under way. */
  readonly open: number;
  /** All that there ever were. */
  readonly opened: number;
}

/** Asks for the connections to a target. */
export interface ToBalancer {
  readonly howMany: string;
}
export type FromBalancer =
  | { readonly port: number; readonly ready: string[] }
  | { readonly ready: string[] }
  | { readonly connections: Connections };

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
  let asking: Promise<Connections> = Promise.resolve({ open: 0, opened: 0 });
  return {
    url: `http://127.0.0.1:${port}`,
    ready: () => ready,
    connections: (target) => (asking = asking.then(() => ask(balancer, target))),
    async stop() {
      if (balancer.exitCode !== null || balancer.signalCode !== null) return;
      const ended = once(balancer, 'exit');
      balancer.disconnect();
      await ended;
    },
  };
}

function ask(balancer: ChildProcess, target: string): Promise<Connections> {
  return new Promise((resolve) => {
    const hear = (message: FromBalancer) => {
      if (!('connections' in message)) return;
      balancer.off('message', hear);
      resolve(message.connections);
    };
    balancer.on('message', hear);
    balancer.send({ howMany: target } satisfies ToBalancer);
  });
}
