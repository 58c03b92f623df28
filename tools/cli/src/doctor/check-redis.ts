import { priceSnapshotSchema } from '@tollgate/catalogue';
import { CURRENT_SNAPSHOT_REDIS_KEY, toQueueKey } from '@tollgate/contracts';
import { connectRedisOnce, findUsageQueues, listMasters } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { fail, type Finding, ok, unset, warn } from './finding.ts';
import { checkSeal } from './check-seal.ts';
import { skewFinding } from './skew.ts';

const PATIENCE_MS = 5_000;
const SLOTS = 16_384;
const PINGS = 20;
const SLOW_MS = 5;
const MANY_JOBS = 10_000;

/**
 * Version, eviction, persistence, latency and clock of Redis, of each master where it is a cluster; and what lies in it:
 * the snapshot and the usage queue.
 */
export async function checkRedis(url: string, sealKey: string | undefined): Promise<Finding[]> {
  let redis: Redis;
  try {
    redis = await connectRedisOnce(url, PATIENCE_MS);
  } catch (error) {
    return [fail('Redis', (error as Error).message, 'Check REDIS_URL and that the server runs.')];
  }
  try {
    const masters = listMasters(redis);
    const parts = [
      ...(redis.isCluster ? [look('Redis Cluster', checkCluster(masters))] : []),
      ...masters.map((master) =>
        redis.isCluster
          ? look(`Redis at ${addressOf(master)}`, checkMaster(master, addressOf(master)))
          : look('Redis', checkMaster(master)),
      ),
      look('usage queue', checkQueue(redis)),
      look('price snapshot', checkSnapshot(redis, sealKey)),
    ];
    return (await Promise.all(parts)).flat();
  } finally {
    redis.disconnect();
  }
}

const addressOf = ({ options: { host, port } }: Redis): string => `${host}:${port}`;

/** What was found, or that it could not be looked at. */
const look = (what: string, found: Promise<Finding[]>): Promise<Finding[]> =>
  found.catch((error: Error) => [fail(what, error.message, 'Check that the server runs, and its log.')]);

/** @param address of one of several, whose findings name it. */
async function checkMaster(redis: Redis, address?: string): Promise<Finding[]> {
  const asked = Date.now();
  const [seconds, micros] = (await redis.time()).map(Number);
  const answered = Date.now();
  const said = (seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000;
  const findings = [
    ...(await checkServer(redis)),
    skewFinding('Redis', asked, said, answered),
    await checkLatency(redis),
  ];
  return address === undefined
    ? findings
    : findings.map((finding) => ({ ...finding, what: `${finding.what} at ${address}` }));
}

async function checkCluster(masters: readonly Redis[]): Promise<Finding[]> {
  const info = await Promise.any(masters.map((master) => master.cluster('INFO')));
  const served = Number(/cluster_slots_ok:(\d+)/.exec(String(info))?.[1]);
  if (served === SLOTS) return [ok('Redis Cluster', `${masters.length} masters serve every slot`)];
  const advice = 'Limits, credit and keys in the others do not work: CLUSTER NODES says who is away.';
  return [fail('Redis Cluster', `${served} of ${SLOTS} slots are served`, advice)];
}

async function checkServer(redis: Redis): Promise<Finding[]> {
  const info = new Map(
    (await redis.info()).split('\r\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown';
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const isKept = info.get('aof_enabled') === '1';
  const advice = 'Set appendonly yes: what is on its way to the books should outlive a restart of Redis.';
  return [
    Number.parseInt(version, 10) >= 7
      ? ok('Redis', version)
      : fail('Redis', version, 'It must be Redis 7 or Valkey.'),
    policy === 'noeviction'
      ? ok('eviction policy', policy)
      : fail(
          'eviction policy',
          policy,
          'Set maxmemory-policy noeviction: an evicted key is a lost job or a lost limit.',
        ),
    isKept ? ok('persistence', 'append-only file') : warn('persistence', 'no append-only file', advice),
  ];
}

async function checkLatency(redis: Redis): Promise<Finding> {
  const times: number[] = [];
  for (let turn = 0; turn < PINGS; turn += 1) {
    const from = performance.now();
    await redis.ping();
    times.push(performance.now() - from);
  }
  const median = times.sort((a, b) => a - b)[PINGS / 2] ?? 0;
  const found = `${median.toFixed(2)} ms, the median of ${PINGS} pings`;
  return median > SLOW_MS
    ? warn('latency of Redis', found, 'Every request waits for it once: bring it nearer to the gateways.')
    : ok('latency of Redis', found);
}

async function checkQueue(redis: Redis): Promise<Finding[]> {
  const queues = await findUsageQueues(redis);
  const sum = async (counts: Promise<number>[]): Promise<number> =>
    (await Promise.all(counts)).reduce((total, count) => total + count, 0);
  const waiting = await sum(queues.map((queue) => redis.llen(toQueueKey(queue, 'wait'))));
  const failed = await sum(queues.map((queue) => redis.zcard(toQueueKey(queue, 'failed'))));
  const shards = queues.length === 1 ? '' : ` in ${queues.length} shards`;
  const found = `${waiting} batches wait${shards}, ${failed} have failed`;
  if (failed > 0)
    return [
      warn(
        'usage queue',
        found,
        'Look into the log of billing for why; they are kept until they are in the books.',
      ),
    ];
  if (waiting > MANY_JOBS)
    return [warn('usage queue', found, 'Run more of billing, or look why it is slow.')];
  return [ok('usage queue', found)];
}

async function checkSnapshot(redis: Redis, sealKey: string | undefined): Promise<Finding[]> {
  const text = await redis.get(CURRENT_SNAPSHOT_REDIS_KEY);
  const advice = 'Start pricing, and publish a catalogue: gateways serve nothing without one.';
  if (text === null) return [fail('price snapshot', 'there is none in Redis', advice)];
  const parsed = priceSnapshotSchema.safeParse(JSON.parse(text));
  if (!parsed.success)
    return [
      fail('price snapshot', 'it is of another version of Tollgate', 'Bring all services to one version.'),
    ];
  const { version, published_at, catalogue } = parsed.data;
  return [
    ok('price snapshot', `version ${version} of ${published_at}`),
    sealKey ? checkSeal(catalogue, sealKey) : unset('seal key', 'SEAL_KEY'),
  ];
}
