import { format } from 'oxfmt';
import { readPart } from '../write-part.ts';
import { computeBusiest, computeNeed, SCALE_PARTS } from './tables.ts';

test.each(Object.entries(SCALE_PARTS))(
  'docs/scale.md has the %s that follow from what was measured; if not, run npm run bench -- scale --write',
  async (part, text) => {
    expect(readPart('scale.md', part)).toBe((await format('scale.md', text())).code.trim());
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
