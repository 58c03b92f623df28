import { findHaproxy } from '@tollgate/harness';
import { startLoadBalancer } from '../reliability/load-balancer.ts';
import { type Front, startHaproxy } from './haproxy.ts';

const say = (text: string): void => void process.stderr.write(`Scale-out: ${text}\n`);

/** What puts gateways behind one address: HAProxy, or our own balancer where there is none, which is said aloud. */
export function findFront(): (gateways: readonly string[]) => Promise<Front> {
  const program = findHaproxy(say);
  if (program !== undefined) return (gateways) => startHaproxy(program, gateways);
  say('there is no haproxy here and none could be installed: the balancer of these tests stands in for it.');
  return async (gateways) => {
    const { url, ready, stop } = await startLoadBalancer(gateways);
    return { name: 'a balancer of our own', url, ready: () => Promise.resolve(ready().length), stop };
  };
}
