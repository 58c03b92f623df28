import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findProgram } from './seed-stack.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FORMS = ['bundle', 'dist'] as const;

/** Another state of this repository, built. */
export interface Checkout {
  readonly directory: string;
  /** Its program of an app; releases from before there were bundles have it file by file. */
  program(app: string): string;
  remove(): void;
}

/**
 * A checkout whose services can be started: a directory that is one, or a commit, which is checked out below `home` and
 * built, in some minutes.
 *
 * @throws where it is neither, or cannot be built.
 */
export function openCheckout(name: string, home: string): Checkout {
  if (existsSync(name) && statSync(name).isDirectory()) {
    const directory = resolve(name);
    return { directory, program: openPrograms(directory), remove: () => {} };
  }
  const directory = join(home, 'before');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!knows(name))
    throw new Error(
      `git knows no commit ${name} here: a clone without its history has no earlier release to build. Name a directory that holds one.`,
    );
  process.stderr.write(`checking out and building ${name}, which takes some minutes\n`);
  git('worktree', 'add', '--detach', directory, name);
  const remove = () => void git('worktree', 'remove', '--force', directory);
  try {
    execFileSync('npm', ['run', '--silent', 'build'], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return { directory, program: openPrograms(directory), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function knows(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function openPrograms(directory: string): (app: string) => string {
  const form = FORMS.find((each) => existsSync(findProgram('gateway', 'main', each, directory)));
  if (!form) throw new Error(`${directory} is not built: run npm run build there`);
  return (app) => findProgram(app, 'main', form, directory);
}
