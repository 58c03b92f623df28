import { CURRENT_SNAPSHOT_REDIS_KEY, priceSnapshotSchema, USAGE_QUEUE } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { fail, type Finding, ok, unset, warn } from './finding.ts';
import { checkSeal } from './check-seal.ts';
import { skewFinding } from './skew.ts';

const PINGS = 20;
const SLOW_MS = 5;
const MANY_JOBS = 10_000;

/** Version, eviction, persistence, latency and clock of Redis, and what lies in it: the snapshot and the usage queue. */
export async function checkRedis(url: string, sealKey: string | undefined): Promise<Finding[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
    retryStrategy: () => null,
  });
  let reason = '';
  redis.on('error', (error: Error) => (reason = error.message));
  try {
    await redis.connect();
    const asked = Date.now();
    const [seconds, micros] = (await redis.time()).map(Number);
    const answered = Date.now();
    return [
      ...(await checkServer(redis)),
      skewFinding('Redis', asked, (seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000, answered),
      await checkLatency(redis),
      await checkQueue(redis),
      ...(await checkSnapshot(redis, sealKey)),
    ];
  } catch (error) {
    return [fail('Redis', reason || (error as Error).message, 'Check REDIS_URL and that the server runs.')];
  } finally {
    redis.disconnect();
  }
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

async function checkQueue(redis: Redis): Promise<Finding> {
  const [waiting, failed] = await Promise.all([
    redis.llen(`bull:${USAGE_QUEUE}:wait`),
    redis.zcard(`bull:${USAGE_QUEUE}:failed`),
  ]);
  const found = `${waiting} batches wait, ${failed} have failed`;
  if (failed > 0)
    return warn(
      'usage queue',
      found,
      'Look into the log of billing for why; they are kept until they are in the books.',
    );
  if (waiting > MANY_JOBS) return warn('usage queue', found, 'Run more of billing, or look why it is slow.');
  return ok('usage queue', found);
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
