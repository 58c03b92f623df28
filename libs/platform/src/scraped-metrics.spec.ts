import { Histogram } from 'prom-client';
import { createMetrics } from './metrics.ts';
import { createHistogramTally, createTally, readAtScrape } from './scraped-metrics.ts';

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> =>
  (await metrics.metrics()).split('\n').filter((line) => line.startsWith(name));

test('a tally shows each of its series as it stands', async () => {
  const metrics = createMetrics('shop');
  const sold = createTally(metrics, { name: 'sold_total', help: 'Sold', labelNames: ['fruit'] });
  const apples = sold.of({ fruit: 'apple' });
  sold.of({ fruit: 'pear' });
  apples.value += 2;
  expect(await linesOf(metrics, 'sold_total')).toEqual([
    'sold_total{fruit="apple",service="shop"} 2',
    'sold_total{fruit="pear",service="shop"} 0',
  ]);
  apples.value += 1;
  expect((await linesOf(metrics, 'sold_total'))[0]).toBe('sold_total{fruit="apple",service="shop"} 3');
});

test.each(['counter', 'gauge'] as const)(
  'a %s is read when it is asked for, and forgets what is gone',
  async (kind) => {
    const metrics = createMetrics('shop');
    let stock: [{ fruit: string }, number][] = [[{ fruit: 'apple' }, 4]];
    readAtScrape(metrics, { kind, name: 'stock', help: 'Stock', labelNames: ['fruit'] }, () => stock);
    expect(await linesOf(metrics, 'stock')).toEqual(['stock{fruit="apple",service="shop"} 4']);
    stock = [[{ fruit: 'pear' }, 1]];
    expect(await linesOf(metrics, 'stock')).toEqual(['stock{fruit="pear",service="shop"} 1']);
  },
);

test('a reading that fails leaves the other metrics as they are', async () => {
  const metrics = createMetrics('shop');
  readAtScrape(metrics, { kind: 'gauge', name: 'queue', help: 'Queue', labelNames: ['state'] }, () =>
    Promise.reject(new Error('Redis is away')),
  );
  readAtScrape(metrics, { kind: 'gauge', name: 'open', help: 'Open' }, () => [[{}, 1]]);
  expect(await linesOf(metrics, 'queue')).toEqual([]);
  expect(await linesOf(metrics, 'open')).toEqual(['open{service="shop"} 1']);
});

test('a tally of a histogram says what the histogram of the client says of the same values', async () => {
  const name = { name: 'seconds', help: 'Seconds', labelNames: ['fruit'] as const, buckets: [0.5, 1, 10] };
  const values = [0, 0.2, 0.5, 0.75, 1, 1.5, 10, 10.5, 1_000];
  const [ours, theirs] = [createMetrics('shop'), createMetrics('shop')];
  const tally = createHistogramTally(ours, name);
  const histogram = new Histogram({ ...name, labelNames: [...name.labelNames], registers: [theirs] });
  for (const fruit of ['apple', 'pear']) {
    const series = tally.of({ fruit });
    for (const value of values) {
      series.observe(value);
      histogram.labels({ fruit }).observe(value);
    }
  }
  const lines = await linesOf(ours, 'seconds');
  expect(lines).toHaveLength(2 * 6);
  expect(lines).toEqual(await linesOf(theirs, 'seconds'));
  // As the processes of a gateway bring them to the one that is asked.
  const findIn = async (metrics: ReturnType<typeof createMetrics>) =>
    (await metrics.getMetricsAsJSON()).find((metric) => metric.name === 'seconds');
  const found = await findIn(ours);
  expect(found).toMatchObject({ type: 'histogram' });
  expect(await findIn(theirs)).toMatchObject({ ...found });
});
