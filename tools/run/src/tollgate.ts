// `npm run tollgate -- …`: the command, for the deployment that `npm start` runs where no other one is named.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHome } from './home.ts';
import { loadState } from './state.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What the launcher says of what it runs. */
interface DevFile {
  readonly base_url: string;
  readonly database_url: string;
  readonly redis_url: string;
}

/** Who signs in, and what `doctor` looks at; nothing where no deployment runs or the environment names one. */
function readRunning(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const home = findHome(env);
  const running = join(home, 'dev.json');
  if (env['TOLLGATE_URL'] || !existsSync(running)) return {};
  const { base_url, database_url, redis_url } = JSON.parse(readFileSync(running, 'utf8')) as DevFile;
  const { admin, secrets } = loadState(home);
  return {
    TOLLGATE_URL: base_url,
    ...(env['TOLLGATE_SESSION'] || env['TOLLGATE_EMAIL']
      ? {}
      : { TOLLGATE_EMAIL: admin.email, TOLLGATE_PASSWORD: admin.password }),
    DATABASE_URL: database_url,
    REDIS_URL: redis_url,
    SEAL_KEY: secrets.seal_key,
    SPOOL_DIR: join(home, 'spool', 'gateway'),
  };
}

const command = spawnSync(
  process.execPath,
  ['--enable-source-maps', join(ROOT, 'tools/cli/bundle/main.js'), ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, ...readRunning(process.env) } },
);
process.exitCode = command.status ?? 1;
