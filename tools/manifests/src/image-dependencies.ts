import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { linkTree } from './link-tree.ts';
import { listInstalledFor } from './locked-packages.ts';
import { ROOT } from './manifest.ts';

/** What the stages for packages run when npm is done. */
const SCRIPTS = ['docker/trim-packages.mjs', 'docker/write-sbom.mjs'];

/**
 * Makes what a stage for packages makes: what npm installs for a workspace, as far as it is here (packages of other platforms are
 * not), and of it what our scripts leave.
 *
 * @param workspace its name; its bundle must have been made.
 * @param directory of the stage; must be empty, and gets `node_modules` and `sbom.spdx.json`.
 */
export function makeDependencies(workspace: string, directory: string): void {
  const packages: Record<string, unknown> = {};
  for (const { path, link, described, workspace: home } of listInstalledFor(workspace)) {
    const [from, to] = [join(ROOT, path), join(directory, path)];
    if (link === undefined && !existsSync(from)) continue;
    packages[path] = described;
    if (link === undefined) linkTree(from, to);
    else {
      packages[link] = home;
      mkdirSync(dirname(to), { recursive: true });
      symlinkSync(posix.relative(posix.dirname(path), link), to);
    }
  }
  writeFileSync(join(directory, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  linkTree(join(ROOT, 'package.json'), join(directory, 'package.json'));
  const { resolved = '' } = packages[`node_modules/${workspace}`] as { resolved?: string };
  const list = join(resolved, 'bundle/packages.json');
  linkTree(join(ROOT, list), join(directory, list));
  for (const script of SCRIPTS)
    execFileSync(process.execPath, [join(ROOT, script), workspace], { cwd: directory, stdio: 'pipe' });
}
