import { type RunningRedis, startRedis, startTcpProxy, type TcpProxy, waitFor } from '@tollgate/harness';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type EventSubscription, onEvent, publishEvent, subscribeEvents } from './events.ts';
import { createLogger } from './logging.ts';
import { connectRedis } from './redis.ts';

const logger = createLogger('test', 'silent');

let server: RunningRedis;
let proxy: TcpProxy;
let publisher: Redis;
const open: EventSubscription[] = [];

beforeAll(async () => {
  server = await startRedis();
  publisher = connectRedis(server.url, logger, { timeoutMs: 20_000 });
  await waitFor(() => publisher.status === 'ready', 'the connection');
});

afterAll(async () => {
  publisher.disconnect();
  await server.stop();
});

beforeEach(async () => {
  proxy = await startTcpProxy({ port: server.port });
});

afterEach(async () => {
  for (const subscription of open.splice(0)) subscription.close();
  await proxy.stop();
});

/** Subscribes through the proxy and waits until it hears. */
async function subscribe(
  handlers: Record<string, (raw: unknown) => void | Promise<void>>,
  onGap?: () => void,
): Promise<EventSubscription> {
  const subscription = subscribeEvents(`redis://127.0.0.1:${proxy.port}`, logger, handlers, onGap);
  open.push(subscription);
  await waitFor(() => subscription.fresh(), 'the subscription');
  return subscription;
}

test('every subscriber hears what is published, and only what it asked for', async () => {
  const heard: [who: string, payload: unknown][] = [];
  const listener = (who: string) => (payload: unknown) => void heard.push([who, payload]);
  await subscribe({ 'price.changed': listener('first') });
  await subscribe({ 'price.changed': listener('second'), 'key.revoked': listener('second') });
  await publishEvent(publisher, 'price.changed', { version: 7 });
  await publishEvent(publisher, 'key.revoked', { id: 'k1' });
  await publishEvent(publisher, 'price.changed', { version: 8 });
  await waitFor(() => heard.length === 5, 'the events');
  const of = (who: string) => heard.filter(([each]) => each === who).map(([, payload]) => payload);
  expect(of('first')).toEqual([{ version: 7 }, { version: 8 }]);
  expect(of('second')).toEqual([{ version: 7 }, { id: 'k1' }, { version: 8 }]);
});

test('nobody listening is no error', async () => {
  await expect(publishEvent(publisher, 'heard.by.nobody', {})).resolves.toBeUndefined();
});

test('a payload of another shape is passed over', async () => {
  const heard: number[] = [];
  const handle = onEvent(z.object({ version: z.int() }), ({ version }) => void heard.push(version));
  await subscribe({ changed: handle });
  await publishEvent(publisher, 'changed', { version: 'seven' });
  await publishEvent(publisher, 'changed', { version: 7 });
  await waitFor(() => heard.length > 0, 'the event');
  expect(heard).toEqual([7]);
});

test('a handler that fails and a payload that is no JSON do not end the subscription', async () => {
  const heard: unknown[] = [];
  await subscribe({
    changed: (payload) => {
      heard.push(payload);
      throw new Error('cannot handle this');
    },
  });
  await publishEvent(publisher, 'changed', { first: true });
  await publisher.publish('changed', '{broken');
  await publishEvent(publisher, 'changed', { second: true });
  await waitFor(() => heard.length === 2, 'the second event');
  expect(heard).toEqual([{ first: true }, { second: true }]);
});

test('is not fresh before it hears', () => {
  proxy.cut();
  const subscription = subscribeEvents(`redis://127.0.0.1:${proxy.port}`, logger, { changed: () => {} });
  open.push(subscription);
  expect(subscription.fresh()).toBe(false);
});

test('stays fresh while nothing is published', async () => {
  const subscription = await subscribe({ changed: () => {} });
  // Where Redis or this process stands still it is not, and begins again.
  let freshSince = performance.now();
  const stays = () => {
    const now = performance.now();
    if (!subscription.fresh()) freshSince = now;
    return now - freshSince > 1_500;
  };
  await waitFor(stays, 'a second and a half in which it is', 30_000, 20);
});

test.each(['cut', 'blackhole'] as const)(
  'is not fresh after a %s, and once it hears again it is and says that there was a gap',
  async (fault) => {
    const heard: unknown[] = [];
    let gaps = 0;
    const subscription = await subscribe({ changed: (payload) => void heard.push(payload) }, () => gaps++);
    expect(gaps).toBe(1);

    proxy[fault]();
    await waitFor(() => !subscription.fresh(), 'the loss');
    await publishEvent(publisher, 'changed', { during: 'the loss' });
    expect(gaps).toBe(1);

    proxy.restore();
    await waitFor(() => subscription.fresh(), 'the return');
    expect(gaps).toBe(2);
    await publishEvent(publisher, 'changed', { after: 'the return' });
    await waitFor(() => heard.length > 0, 'the event');
    expect(heard).toEqual([{ after: 'the return' }]);
  },
);

test('there is a gap at every reconnection', async () => {
  let gaps = 0;
  const subscription = await subscribe({ changed: () => {} }, () => gaps++);
  for (const expected of [2, 3, 4]) {
    proxy.cut();
    await waitFor(() => !subscription.fresh(), 'the loss');
    proxy.restore();
    await waitFor(() => subscription.fresh(), 'the return');
    expect(gaps).toBe(expected);
  }
});

test('hears nothing after it was closed', async () => {
  const heard: unknown[] = [];
  const closed = await subscribe({ changed: () => void heard.push('closed') });
  await subscribe({ changed: () => void heard.push('open') });
  closed.close();
  open.splice(open.indexOf(closed), 1);
  await waitFor(() => !closed.fresh(), 'the end of the subscription');
  await publishEvent(publisher, 'changed', {});
  await waitFor(() => heard.includes('open'), 'the event');
  expect(heard).toEqual(['open']);
});
