import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Coding agents take more than a gigabyte, libraries less than a third of one. */
export type ClientKind = 'agents' | 'libraries';

const LOCKED = join(import.meta.dirname, '../../clients');
const INSTALL_MS = 300_000;
const FETCHES = ['--prefer-offline', '--fetch-retries=1', '--fetch-timeout=60000'];

/**
 * Installs the clients of the lockfile from the registry, once on this machine for each lockfile, outside of the project: its
 * own `npm ci` stays small. No script of a package is run.
 *
 * @returns the directory that holds `node_modules`.
 * @throws with npm's words in one line, where it cannot be installed.
 */
export async function installClients(kind: ClientKind): Promise<string> {
  const lock = readFileSync(join(LOCKED, kind, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tollgate', 'clients');
  const directory = join(cache, `${kind}-${hash}`);
  if (existsSync(join(directory, 'node_modules'))) return directory;
  mkdirSync(cache, { recursive: true });
  // What is half installed is never taken for whole.
  const coming = mkdtempSync(join(cache, 'coming-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      cpSync(join(LOCKED, kind, file), join(coming, file));
    const args = ['ci', '--prefix', coming, '--ignore-scripts', '--no-audit', '--no-fund', ...FETCHES];
    await promisify(execFile)('npm', args, { cwd: coming, timeout: INSTALL_MS, env: npmEnv() });
    rmSync(directory, { recursive: true, force: true });
    renameSync(coming, directory);
  } catch (error) {
    rmSync(coming, { recursive: true, force: true });
    if (existsSync(join(directory, 'node_modules'))) return directory;
    throw new Error(sayWhy(error as Error), { cause: error });
  }
  return directory;
}

/** What npm says first; that its command failed says nothing. */
function sayWhy({ message, stderr = '' }: Error & { readonly stderr?: string }): string {
  const said = [...stderr.matchAll(/^npm error (.+)$/gm)].map(([, words]) => words);
  return said.length > 0 ? said.slice(0, 3).join(' ') : message;
}

/** npm that runs npm: what the outer one was told of itself is not for the inner one. */
const npmEnv = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
});
