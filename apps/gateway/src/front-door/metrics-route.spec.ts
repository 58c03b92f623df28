import { createMetrics } from '@tollgate/platform';
import Fastify, { type FastifyInstance } from 'fastify';
import { metricsRoute } from './metrics-route.ts';

let door: FastifyInstance;
beforeAll(() => {
  door = Fastify({ trustProxy: true });
  metricsRoute(door, createMetrics('gateway'));
});
afterAll(() => door.close());

const from = async (remoteAddress: string, headers: Record<string, string> = {}) => {
  const { statusCode, body } = await door.inject({ url: '/metrics', remoteAddress, headers });
  return { statusCode, tells: body.includes('process_cpu_seconds_total') };
};

test.each(['127.0.0.1', '::1', '::ffff:10.1.2.3', '10.1.2.3', '192.168.1.9', '100.64.3.4', 'fd00::7'])(
  'a Prometheus at %s is told the metrics',
  async (address) => {
    expect(await from(address)).toEqual({ statusCode: 200, tells: true });
  },
);

test.each(['8.8.8.8', '2a00:1450::1', '169.254.169.254'])('%s is told nothing of them', async (address) => {
  expect((await from(address)).tells).toBe(false);
});

test.each([{ 'x-forwarded-for': '10.1.2.3' }, { forwarded: 'for=10.1.2.3' }, { via: '1.1 proxy' }])(
  'who comes through a proxy is told nothing of them: %j',
  async (headers) => {
    expect((await from('127.0.0.1', headers)).tells).toBe(false);
  },
);
