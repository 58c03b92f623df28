import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { z } from 'zod';
import { ROOT } from './manifest.ts';

const names = z.record(z.string(), z.string()).default({});
const lockedPackage = z.object({
  link: z.boolean().default(false),
  /** Where a link leads to: the folder of a workspace. */
  resolved: z.string().optional(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});
const lockfile = z.object({ packages: z.record(z.string(), lockedPackage) });

type LockedPackage = z.infer<typeof lockedPackage>;

const MODULES = 'node_modules';

/** The path under which a package finds another one, as Node looks for it: beside itself, then further up. */
function findInstalled(packages: Readonly<Record<string, LockedPackage>>, from: string, name: string) {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder === '.' ? '' : folder, MODULES, name);
    if (Object.hasOwn(packages, path)) return path;
    if (folder === '.' || folder === '') return undefined;
  }
}

/**
 * What `npm ci --workspace=<workspace> --omit=dev` installs and `docker/trim-packages.mjs` leaves: paths below `node_modules`
 * of packages and of links to other workspaces. npm decides the same from the same lockfile; optional packages may be there or
 * not. A peer that is optional is no reason: npm brings it along where another workspace has it.
 */
export function listInstalledFor(workspace: string): readonly { path: string; link: string | undefined }[] {
  const { packages } = lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const found = new Map<string, string | undefined>();
  const waiting = [posix.join(MODULES, workspace)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const one = packages[path];
    if (one === undefined || found.has(path)) continue;
    found.set(path, one.link ? one.resolved : undefined);
    const from = one.link ? (one.resolved ?? path) : path;
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta: peers = {},
    } = packages[from] ?? {};
    const required = Object.keys(peerDependencies).filter((name) => !peers[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...required]) {
      const next = findInstalled(packages, from, name);
      if (next !== undefined) waiting.push(next);
    }
  }
  return [...found].map(([path, link]) => ({ path, link }));
}
