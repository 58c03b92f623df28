import { randomBytes } from 'node:crypto';
import { freePort } from '@tollgate/harness';
import { house } from '../house.ts';
import { tollgate } from './tollgate.ts';

const at = house();
const env = { DATABASE_URL: at.databaseUrl, REDIS_URL: at.redisUrl, SPOOL_DIR: at.home };

interface Finding {
  readonly level: string;
  readonly what: string;
  readonly found: string;
  readonly advice?: string;
}
const examined = async (more: Record<string, string> = {}) => {
  const { exit, out } = await tollgate(['doctor', '--json'], { env: { ...env, ...more } });
  const findings = JSON.parse(out) as Finding[];
  return { exit, findings, of: (what: string) => findings.find((finding) => finding.what === what) };
};

test('a house that is well has nothing but what was not looked at', async () => {
  const { exit, findings, of } = await examined();
  expect(exit).toBe(0);
  expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
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

test('a seal key that opens nothing, and servers that do not answer, are failures with what to do', async () => {
  const nowhere = await freePort();
  const { exit, of } = await examined({
    SEAL_KEY: randomBytes(32).toString('base64'),
    DATABASE_URL: `postgres://nobody@127.0.0.1:${nowhere}/none`,
    SPOOL_DIR: `${at.home}/no-such-directory`,
  });
  expect(exit).toBe(1);
  expect(of('seal key')).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('simulator/default') as string,
  });
  expect(of('PostgreSQL')).toMatchObject({
    level: 'fail',
    advice: expect.stringContaining('DATABASE_URL') as string,
  });
  expect(of(`spool ${at.home}/no-such-directory`)).toMatchObject({ level: 'fail' });
});
