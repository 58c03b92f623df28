import { Module } from '@nestjs/common';
import { Counter } from 'prom-client';
import { serviceConfigSchema } from './config.ts';
import { Health } from './health.ts';
import { createLogger } from './logging.ts';
import { createMetrics } from './metrics.ts';
import { startService } from './service.ts';

@Module({})
class Nothing {}

const start = (metrics?: ReturnType<typeof createMetrics>) =>
  startService({
    name: 'counted',
    config: serviceConfigSchema.parse({ PORT: 0 }),
    logger: createLogger('counted', 'silent'),
    health: new Health(),
    module: Nothing,
    ...(metrics ? { metrics } : {}),
  });

test('a service with metrics serves them in the format of Prometheus, with its name', async () => {
  const metrics = createMetrics('counted');
  const sold = new Counter({ name: 'things_sold_total', help: 'Things sold', registers: [metrics] });
  sold.inc(2);
  const service = await start(metrics);
  const answer = await fetch(`${service.url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await answer.text()).split('\n');
  await service.stop();
  expect(lines).toContain('things_sold_total{service="counted"} 2');
  expect(lines.some((line) => line.startsWith('process_cpu_seconds_total{service="counted"}'))).toBe(true);
});

test('a service without metrics serves none', async () => {
  const service = await start();
  const { status } = await fetch(`${service.url}/metrics`);
  await service.stop();
  expect(status).toBe(404);
});

test('two services in one process count apart', async () => {
  const [one, other] = [createMetrics('one'), createMetrics('other')];
  new Counter({ name: 'seen_total', help: 'Seen', registers: [one] }).inc();
  expect(await one.metrics()).toContain('seen_total{service="one"} 1');
  expect(await other.metrics()).not.toContain('seen_total');
});
