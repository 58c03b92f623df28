import { redisCall, type RunningRedisCluster, startRedisCluster } from '@tollgate/harness';
import fc from 'fast-check';
import { keySlot } from './key-slot.ts';

let cluster: RunningRedisCluster;
beforeAll(async () => (cluster = await startRedisCluster()));
afterAll(() => cluster.stop());

test('a key lives where Redis says that it does', async () => {
  const braced = fc.tuple(fc.string(), fc.string(), fc.string()).map(([a, b, c]) => `${a}{${b}}${c}`);
  const key = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    braced,
    fc.constantFrom('', '{}', 'a{}b{c}', 'a{{b}}c', '{a'),
  );
  await fc.assert(
    fc.asyncProperty(key, async (name) => {
      const said = await redisCall(cluster.masters[0]?.port ?? 0, 'CLUSTER', 'KEYSLOT', name);
      expect(keySlot(name)).toBe(Number(said));
    }),
    { numRuns: 200 },
  );
});
