import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { freePort, startRedisCluster, startRedisSentinels, waitFor } from '@tollgate/harness';
import { sharedStack } from '../shared-stack.ts';
import { runProgram, tollgate } from './tollgate.ts';

const at = sharedStack();
const env = { DATABASE_URL: at.databaseUrl, REDIS_URL: at.redisUrl, SPOOL_DIR: at.home };

interface Finding {
  readonly level: string;
  readonly what: string;
  readonly found: string;
  readonly advice?: string;
}
const examined = async (more: Record<string, string> = {}, run = tollgate) => {
  const { exit, out } = await run(['doctor', '--json'], { env: { ...env, ...more } });
  const findings = JSON.parse(out) as Finding[];
  return { exit, findings, of: (what: string) => findings.find((finding) => finding.what === what) };
};

test('a healthy stack shows nothing but what was not looked at', async () => {
  const { exit, findings, of } = await examined({}, runProgram);
  expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
  expect(exit).toBe(0);
  for (const what of [
    'PostgreSQL',
    'migrations of billing',
    'privileges on pricing',
    'eviction policy',
    'usage queue',
  ])
    expect(of(what)).toMatchObject({ level: 'ok' });
  expect(of('price snapshot')?.found).toMatch(/^version \d+ of /);
  expect(of('seal key')).toMatchObject({ level: 'warn' });
});

test('a role that sees the schema of one service is no failure of the other one', async () => {
  const owner = new pg.Client(at.databaseUrl);
  const role = `doctor_${randomBytes(4).toString('hex')}`;
  await owner.connect();
  try {
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'test'`);
    await owner.query(`GRANT USAGE ON SCHEMA billing TO ${role}`);
    await owner.query(`GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA billing TO ${role}`);
    const { exit, findings, of } = await examined({
      DATABASE_URL: Object.assign(new URL(at.databaseUrl), { username: role, password: 'test' }).href,
    });
    expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
    expect(exit).toBe(0);
    expect(of('migrations of billing')).toMatchObject({ level: 'ok' });
    expect(of('migrations of pricing')).toMatchObject({
      level: 'warn',
      found: 'not looked at: permission denied for schema pricing',
      advice: expect.stringContaining('of the role that owns the tables') as string,
    });
  } finally {
    await owner.query(`DROP OWNED BY ${role}`);
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
  }
});

/** Node's own hook: what is asked of Redis with takes longer to load than a server has to answer. */
const SLOW_TO_LOAD = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.includes('/check-redis')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  return next(url, context);
} });`;

test('a machine that is slow to load what servers are asked with finds them all the same', async () => {
  const slow = `--import=data:text/javascript,${encodeURIComponent(SLOW_TO_LOAD)}`;
  const began = Date.now();
  const { findings } = await examined({ NODE_OPTIONS: slow }, runProgram);
  expect(Date.now() - began).toBeGreaterThan(6_000);
  expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
});

test('a seal key that opens nothing, and servers that do not answer, are failures with what to do', async () => {
  const nowhere = await freePort();
  const { exit, of } = await examined({
    SEAL_KEY: randomBytes(32).toString('base64'),
    // A name that has an address of each family, where the machine has both: what fails is a list of failures.
    DATABASE_URL: `postgres://nobody@localhost:${nowhere}/none`,
    TOLLGATE_URL: `http://localhost:${nowhere}`,
    SPOOL_DIR: `${at.home}/no-such-directory`,
  });
  expect(exit).toBe(1);
  expect(of('seal key')).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('simulator/default') as string,
  });
  expect(of('PostgreSQL')).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('ECONNREFUSED') as string,
    advice: expect.stringContaining('DATABASE_URL') as string,
  });
  expect(of(`gateway http://localhost:${nowhere}`)).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('ECONNREFUSED') as string,
  });
  expect(of(`spool ${at.home}/no-such-directory`)).toMatchObject({ level: 'fail' });
});

test('of a cluster every master is looked at, and slots that nobody serves are a failure', async () => {
  const cluster = await startRedisCluster();
  try {
    const well = await examined({ REDIS_URL: cluster.url }, runProgram);
    expect(well.of('Redis Cluster')).toMatchObject({ level: 'ok', found: '3 masters serve every slot' });
    for (const { port } of cluster.masters) {
      expect(well.of(`eviction policy at 127.0.0.1:${port}`)).toMatchObject({ level: 'ok' });
      expect(well.of(`clock of Redis at 127.0.0.1:${port}`)).toMatchObject({ level: 'ok' });
    }
    expect(well.of('usage queue')).toMatchObject({ level: 'ok' });
    expect(well.of('price snapshot')).toMatchObject({ level: 'fail', found: 'there is none in Redis' });
    await cluster.masters[2]?.stop();
    // The others take a moment to agree that it is gone.
    const ill = await waitFor(async () => {
      const now = await examined({ REDIS_URL: cluster.url });
      return now.exit === 1 && now.of('Redis Cluster')?.level === 'fail' && now;
    }, 'the failure');
    expect(ill.of('Redis Cluster')).toMatchObject({ found: '10922 of 16384 slots are served' });
  } finally {
    await cluster.stop();
  }
}, 90_000);

test('behind Sentinels it is the master that is looked at, and Sentinels that do not answer are a failure', async () => {
  const sentinels = await startRedisSentinels();
  try {
    const { of } = await examined({ REDIS_URL: sentinels.url }, runProgram);
    expect(of('Redis')?.level).toBe('ok');
    expect(of('eviction policy')).toMatchObject({ level: 'ok', found: 'noeviction' });
    expect(of('usage queue')).toMatchObject({ level: 'ok' });
  } finally {
    await sentinels.stop();
  }
  const { exit, of } = await examined({ REDIS_URL: sentinels.url }, runProgram);
  expect(exit).toBe(1);
  expect(of('Redis')).toMatchObject({
    level: 'fail',
    advice: expect.stringContaining('REDIS_URL') as string,
  });
}, 90_000);

test('an address that is none says what one looks like', async () => {
  expect((await examined({ REDIS_URL: 'redis-cluster://' })).of('Redis')).toMatchObject({
    level: 'fail',
    found: 'not the address of a Redis',
  });
});
