import { format } from 'oxfmt';
import { readPart } from '../write-part.ts';
import { CORES_OF_NODE, PRICES, RATES } from './assumptions.ts';
import { BOOKS, readRows, toTurnUs, TURN } from './measured.ts';
import { computeNeed, computeUse, findBooks } from './need.ts';
import { computeBusiest, SCALE_PARTS } from './tables.ts';

test.each(Object.entries(SCALE_PARTS))(
  'docs/scale.md has the %s that follow from what was measured; if not, run npm run bench -- scale --write',
  async (part, text) => {
    expect(readPart('scale.md', part)).toBe((await format('scale.md', text())).code.trim());
  },
);

test('whole nodes are paid for, of everything that runs: a request of few costs more', () => {
  for (const rate of RATES) {
    const { nodes, kept, cores, computing } = computeNeed(rate);
    const ofNodes = (nodes * CORES_OF_NODE * PRICES.coreHour) / ((rate * 3_600) / 1e6);
    expect(computing).toBeCloseTo(ofNodes, 10);
    expect(nodes * CORES_OF_NODE).toBeGreaterThanOrEqual(kept);
    expect(kept).toBeGreaterThan(Object.values(cores).reduce((sum, each) => sum + each, 0));
  }
  // Two nodes of four cores for 0.32 USD an hour in which there are 3.6 million requests.
  expect(computeNeed(1_000).computing).toBeCloseTo(0.089, 3);
  expect(computeNeed(100).computing).toBeCloseTo(computeNeed(1_000).computing * 10, 3);
  expect(computeNeed(1_000_000).computing).toBeLessThan(computeNeed(1_000).computing / 10);
});

test('books cost what they were measured to cost at such a rate, in batches no fuller than that', () => {
  for (const books of BOOKS) {
    expect(findBooks(books.rate)).toBe(books);
    expect(findBooks(books.rate * 1.01)).toBe(books);
  }
  expect(findBooks(1)).toBe(BOOKS[0]);
  expect(BOOKS.map(({ rate }) => rate)).toEqual(BOOKS.map(({ rate }) => rate).toSorted((a, b) => a - b));
  expect(findBooks(1_000).postgres).toBeGreaterThan(2 * findBooks(1e6).postgres);
});

test('a rate needs as many journals as its turns fill', () => {
  const ofOne = 0.7e6 / toTurnUs(TURN);
  expect([ofOne * 0.99, ofOne * 1.01, ofOne * 9.5].map((rate) => computeNeed(rate).deployments)).toEqual([
    1, 2, 10,
  ]);
});

test('what is used up first is found from bytes, time and what there is', () => {
  const shareOf = (rate: number, what: string) => computeUse(rate).find(([each]) => each === what)?.[1] ?? 0;
  // 35 days, of 16 TiB.
  expect(shareOf(1_000, 'the disk')).toBeCloseTo((findBooks(1_000).kept * 3.024e9) / 2 ** 44, 5);
  for (const rate of RATES)
    for (const [before, after] of computeUse(rate).map(([, share], index, all) => [
      share,
      all[index + 1]?.[1] ?? 0,
    ]))
      expect(before).toBeGreaterThanOrEqual(after ?? 0);
});

test('tables are read by the heads of their columns', () => {
  expect(
    readRows('| a | b |\n| --- | ---: |\n| x | 1 |\n\ntext\n\n| a | c |\n| --- | --- |\n| y | |'),
  ).toEqual([
    { a: 'x', b: '1' },
    { a: 'y', c: '' },
  ]);
});

test('shards lie where Redis puts the slots of their names', () => {
  expect([computeBusiest(1, 3), computeBusiest(1, 12)]).toEqual([1, 1]);
  // CLUSTER KEYSLOT says 9629 of usage, 11163 of usage-1 and 7160 of usage-2: the last begins at 10923 of three, at 9557 of twelve.
  expect([computeBusiest(2, 3), computeBusiest(2, 12), computeBusiest(3, 3)]).toEqual([1 / 2, 1 / 2, 2 / 3]);
  for (const shards of [2, 8, 64])
    for (const masters of [3, 6, 12]) {
      expect(computeBusiest(shards, masters)).toBeGreaterThanOrEqual(1 / masters);
      expect(computeBusiest(shards, masters)).toBeLessThanOrEqual(1);
    }
});
