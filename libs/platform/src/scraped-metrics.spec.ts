import { createMetrics } from './metrics.ts';
import { createTally, readAtScrape } from './scraped-metrics.ts';

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
