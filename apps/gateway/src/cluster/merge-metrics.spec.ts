import { createMetrics } from '@tollgate/platform';
import { Counter, Histogram } from 'prom-client';
import { mergeMetrics } from './merge-metrics.ts';

/** What a process shows that has counted so many. */
function pageOf(process: string, count: number): Promise<string> {
  const metrics = createMetrics('gateway', { process });
  const counter = new Counter({
    name: 'requests_total',
    help: 'Requests',
    labelNames: ['of'],
    registers: [metrics],
  });
  counter.inc({ of: 'a' }, count);
  const seconds = new Histogram({ name: 'seconds', help: 'Time', buckets: [1, 2], registers: [metrics] });
  seconds.observe(count);
  return metrics.metrics();
}
const linesOf = (page: string, name: string) =>
  page.split('\n').filter((line) => line.startsWith(name) || line.startsWith(`# TYPE ${name} `));

test('every metric is described once, with the samples of all processes beside each other', async () => {
  const merged = mergeMetrics([await pageOf('1', 5), await pageOf('2', 7)]);
  expect(linesOf(merged, 'requests_total')).toEqual([
    '# TYPE requests_total counter',
    'requests_total{of="a",service="gateway",process="1"} 5',
    'requests_total{of="a",service="gateway",process="2"} 7',
  ]);
  expect(linesOf(merged, 'seconds_count')).toEqual([
    'seconds_count{service="gateway",process="1"} 1',
    'seconds_count{service="gateway",process="2"} 1',
  ]);
  const described = merged.split('\n').filter((line) => line.startsWith('# TYPE'));
  expect(new Set(described).size).toBe(described.length);
});

test('the page of one process stays as it is, but for blank lines', async () => {
  const page = await pageOf('1', 5);
  const text = (of: string) => of.split('\n').filter((line) => line !== '');
  expect(text(mergeMetrics([page]))).toEqual(text(page));
});
