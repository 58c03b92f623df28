import { redisCall } from './redis-call.ts';
import { startRedisCluster } from './redis-cluster.ts';
import { startRedisSentinels } from './redis-sentinel.ts';
import { waitFor } from './wait-for.ts';

test('a cluster has all slots on three masters, and a replica for each', async () => {
  const cluster = await startRedisCluster({ replicas: true });
  try {
    expect([cluster.masters.length, cluster.replicas.length]).toEqual([3, 3]);
    for (const { port } of [...cluster.masters, ...cluster.replicas]) {
      const info = await redisCall(port, 'CLUSTER', 'INFO');
      expect(info).toMatch(/cluster_state:ok[^]*cluster_slots_ok:16384[^]*cluster_known_nodes:6/);
    }
  } finally {
    await cluster.stop();
  }
}, 60_000);

test('Sentinels make the replica the master when the master dies', async () => {
  const sentinels = await startRedisSentinels();
  try {
    const [first, second] = sentinels.servers;
    expect(await sentinels.master()).toBe(first);
    await first.kill();
    await waitFor(async () => (await sentinels.master()) === second, 'the fail-over', 20_000);
    await waitFor(
      async () => (await redisCall(second.port, 'ROLE')).includes('master'),
      'the new role',
      20_000,
    );
  } finally {
    await sentinels.stop();
  }
}, 60_000);

test('a refusal of Redis is thrown', async () => {
  const cluster = await startRedisCluster();
  try {
    await expect(redisCall(cluster.masters[0]?.port ?? 0, 'NONSENSE')).rejects.toThrow('unknown command');
  } finally {
    await cluster.stop();
  }
}, 60_000);
