import { waitFor } from '@tollgate/harness';
import { call } from '../call.ts';
import type { FaultStack } from './fault-stack.ts';
import { openBilledClient, type BilledClient } from './billed-client.ts';

/** Whether the second gateway's disk is full. */
let full = false;

/**
 * What the second gateway is started under: a process that may write no file as long as a usage event. Its log goes
 * nowhere, for that is a file too.
 */
export const limitDisk = (service: string): readonly string[] =>
  full && service === 'gateway-2' ? ['sh', '-c', 'ulimit -S -f 1; exec "$@" > /dev/null 2>&1', 'sh'] : [];

/** A gateway whose spool takes nothing. */
export function fullDiskTests(stack: () => FaultStack): void {
  let url: string;
  let client: BilledClient;

  const restart = async () => {
    const gateway = stack().service('gateway-2');
    await gateway.stop();
    gateway.start();
    const ready = () =>
      call(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await waitFor(ready, 'the gateway', 20_000);
  };
  /** It posts from the queue before it answers whoever hands it events. */
  const billingIsReady = () =>
    call(`${stack().stack.services.get('billing')?.url ?? ''}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const askMany = async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.ask({ url, stream: n % 2 === 1 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  };

  beforeAll(async () => {
    url = stack().gatewayUrls[1] ?? '';
    client = await openBilledClient(stack());
    full = true;
    await restart();
  }, 60_000);

  afterAll(async () => {
    full = false;
    await restart();
  }, 60_000);

  test('the disk is full: usage goes through the queue, and all of it is posted', async () => {
    await askMany();
    await client.settled();
  });

  test('the disk is full and Redis is down: usage goes to billing itself, and all of it is posted', async () => {
    await stack().redis.kill();
    await askMany();
    await stack().redis.restart();
    await client.settled();
  }, 60_000);

  test('the disk is full, Redis and billing are down: what was under way is answered, then requests are refused until one of them is back', async () => {
    await client.ask({ url });
    await stack().redis.kill();
    await stack().service('billing').stop();
    await client.ask({ url });
    const refused = await waitFor(async () => {
      const answer = await client.ask({ url });
      return answer.status === 503 && answer;
    }, 'the refusal');
    expect(refused.status).toBe(503);
    expect((await call(`${url}/readyz`)).status).toBe(503);
    await stack().redis.restart();
    stack().service('billing').start();
    await waitFor(async () => (await call(`${url}/readyz`)).status === 200, 'the gateway', 20_000);
    await waitFor(billingIsReady, 'billing', 20_000);
    expect((await client.ask({ url })).status).toBe(200);
    await client.settled();
  }, 60_000);

  test('the disk is full and the gateway is told to stop: it ends once its usage is in the queue', async () => {
    await stack().redis.kill();
    await askMany();
    const gateway = stack().service('gateway-2');
    const stopped = gateway.stop();
    await stack().redis.restart();
    await stopped;
    await client.settled();
    gateway.start();
  }, 60_000);
}
