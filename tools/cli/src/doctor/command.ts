import type { Command } from 'commander';
import { toReason } from '../failure.ts';
import { type Io, say } from '../io.ts';
import { checkSpool } from './check-spool.ts';
import { fail, type Finding, findingsText, ok, unset, warn } from './finding.ts';

const SETTINGS = ['TOLLGATE_URL', 'DATABASE_URL', 'REDIS_URL', 'SEAL_KEY', 'SPOOL_DIR'] as const;

/** `tollgate doctor`: looks at what the services stand on, with the environment that they have. */
export function addDoctorCommand(program: Command, io: Io, end: (exit: number) => void): void {
  program
    .command('doctor')
    .description(
      'checks settings, PostgreSQL, Redis, the spool, clocks, snapshot and keys; exit code 1 for a failure',
    )
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const findings = await examine(io.env);
      say(io, json ? JSON.stringify(findings) : findingsText(findings));
      if (findings.some(({ level }) => level === 'fail')) end(1);
    });
}

async function examine(env: Io['env']): Promise<Finding[]> {
  const { TOLLGATE_URL, DATABASE_URL, REDIS_URL, SEAL_KEY, SPOOL_DIR } = env;
  const missing = SETTINGS.filter((name) => !env[name]);
  // Loaded for every command, what these need would double its start; loaded while a server is asked, it would take the time
  // in which that must answer.
  const postgres = DATABASE_URL ? await import('./check-postgres.ts') : undefined;
  const redis = REDIS_URL ? await import('./check-redis.ts') : undefined;
  const looked = await Promise.all([
    TOLLGATE_URL ? checkFrontDoor(TOLLGATE_URL) : unset('gateway', 'TOLLGATE_URL'),
    postgres?.checkPostgres(DATABASE_URL ?? '') ?? unset('PostgreSQL', 'DATABASE_URL'),
    redis?.checkRedis(REDIS_URL ?? '', SEAL_KEY) ?? unset('Redis', 'REDIS_URL'),
    SPOOL_DIR ? checkSpool(SPOOL_DIR) : unset('spool', 'SPOOL_DIR'),
  ]);
  const settings =
    missing.length === 0
      ? ok('settings', `${SETTINGS.length} of ${SETTINGS.length} are set`)
      : warn('settings', `${missing.join(', ')} not set`, 'Run it with the environment of the services.');
  return [settings, ...looked.flat()];
}

/** Whether the gateway at the base URL is ready for requests. */
async function checkFrontDoor(url: string): Promise<Finding> {
  const what = `gateway ${url}`;
  try {
    const answer = await fetch(`${url.replace(/\/+$/, '')}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const text = (await answer.text()).slice(0, 300);
    return answer.ok
      ? ok(what, 'ready')
      : warn(what, `not ready: ${text}`, 'Wait until it has started; its log says what it waits for.');
  } catch (error) {
    return fail(what, toReason(error as Error), 'Check TOLLGATE_URL and that the gateway runs.');
  }
}
