import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const GATEWAY = join('apps', 'gateway', 'bundle', 'main.js');

interface Checkout {
  readonly directory: string;
  remove(): void;
}

/**
 * A checkout whose gateway can be started: a directory that is one, or a commit, which is checked out below `home` and
 * built, in some minutes.
 *
 * @throws where it is neither, or cannot be built.
 */
export function openCheckout(name: string, home: string): Checkout {
  if (existsSync(name) && statSync(name).isDirectory()) {
    const directory = resolve(name);
    if (!existsSync(join(directory, GATEWAY)))
      throw new Error(`${directory} is not built: run npm run build there`);
    return { directory, remove: () => {} };
  }
  const directory = join(home, 'before');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  process.stderr.write(`checking out and building ${name}, which takes some minutes\n`);
  git('worktree', 'add', '--detach', directory, name);
  const remove = () => void git('worktree', 'remove', '--force', directory);
  try {
    execFileSync('npm', ['run', '--silent', 'build'], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } catch (error) {
    remove();
    throw error;
  }
  return { directory, remove };
}
