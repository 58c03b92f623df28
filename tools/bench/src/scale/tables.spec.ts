import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { computeBusiest, computeNeed, SCALE_PARTS } from './tables.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/scale.md'), 'utf8');

test.each(SCALE_PARTS)(
  'docs/scale.md says what follows from the figures between $marks.0; if not, run npm run bench -- scale --write',
  async ({ marks, text }) => {
    const [start, end] = marks.map((mark) => page.indexOf(mark));
    const between = page.slice((start ?? 0) + (marks[0]?.length ?? 0), end).trim();
    expect(between).toBe((await format('scale.md', text())).code.trim());
  },
);

test('a rate needs cores that are busy for a part of the time, and as many journals as its turns fill', () => {
  const [small, large] = [computeNeed(1_000), computeNeed(1_000_000)];
  expect(large.cores.postgres).toBeCloseTo(small.cores.postgres * 1_000);
  expect([small.nodes, small.deployments, small.redisServers]).toEqual([2, 1, 1]);
  expect(large.deployments).toBeGreaterThan(10);
  expect(large.nodes * 4).toBeGreaterThanOrEqual(
    Object.values(large.cores).reduce((sum, each) => sum + each, 0),
  );
  expect(large.computing).toBeCloseTo(small.computing);
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
