import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { createMetrics, serveMetrics } from './metrics.ts';
import { metricsAccess, metricsConfigShape } from './metrics-access.ts';

const schema = z.object(metricsConfigShape);
const TOKEN = 'x'.repeat(31) + '!';
const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const door of open.splice(0)) await door.close();
});

/** Whether somebody is told the metrics of a service with these settings. */
async function isTold(
  settings: Record<string, string>,
  remoteAddress: string,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const door = Fastify({ trustProxy: true });
  open.push(door);
  serveMetrics(door, createMetrics('orders'), metricsAccess(schema.parse(settings)));
  const { statusCode, body } = await door.inject({ url: '/metrics', remoteAddress, headers });
  expect(statusCode).toBe(body.includes('process_cpu_seconds_total') ? 200 : 404);
  return statusCode === 200;
}

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  // What a load balancer that rewrites addresses makes of the whole internet.
  ['10.1.2.3', false],
  ['192.168.1.9', false],
  ['100.64.3.4', false],
  ['fd00::7', false],
  ['8.8.8.8', false],
])('without settings %s is told: %s', async (address, told) => {
  expect(await isTold({}, address)).toBe(told);
});

test.each([
  ['10.1.2.0/24', '10.1.2.3', true],
  ['10.1.2.0/24, fd00::/64', 'fd00::7', true],
  ['10.1.2.3', '::ffff:10.1.2.3', true],
  ['10.1.2.0/24', '10.1.3.3', false],
  ['10.1.2.0/24', '127.0.0.1', false],
  ['none', '127.0.0.1', false],
])('where METRICS_FROM is %s, %s is told: %s', async (from, address, told) => {
  expect(await isTold({ METRICS_FROM: from }, address)).toBe(told);
});

test.each([{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }, { via: '1.1 proxy' }])(
  'an address counts for nothing through a proxy: %j',
  async (headers) => {
    expect(await isTold({ METRICS_FROM: '0.0.0.0/0' }, '127.0.0.1', headers)).toBe(false);
    const authorization = `Bearer ${TOKEN}`;
    expect(await isTold({ METRICS_TOKEN: TOKEN }, '127.0.0.1', { ...headers, authorization })).toBe(true);
  },
);

test.each([
  [`Bearer ${TOKEN}`, true],
  [`bearer ${TOKEN}`, true],
  [`Bearer ${TOKEN}x`, false],
  [`Bearer ${TOKEN.slice(0, -1)}`, false],
  [`Basic ${TOKEN}`, false],
  [TOKEN, false],
  ['Bearer ', false],
])('from anywhere else, the authorization "%s" opens them: %s', async (authorization, told) => {
  expect(await isTold({ METRICS_TOKEN: TOKEN }, '8.8.8.8', { authorization })).toBe(told);
});

test('where there is no token none opens them, and a wrong one closes them at our own address, too', async () => {
  expect(await isTold({}, '8.8.8.8', { authorization: 'Bearer undefined' })).toBe(false);
  expect(await isTold({ METRICS_TOKEN: TOKEN }, '127.0.0.1', { authorization: 'Bearer wrong' })).toBe(false);
});

test.each([{ METRICS_FROM: 'everybody' }, { METRICS_FROM: '10.0.0.0/33' }, { METRICS_TOKEN: 'short' }])(
  'a service does not start with %j',
  (settings) => {
    expect(schema.safeParse(settings).success).toBe(false);
  },
);
