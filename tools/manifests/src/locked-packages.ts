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

interface InstalledPackage {
  /** Below `node_modules`. */
  readonly path: string;
  /** What the lockfile says of it. */
  readonly described: unknown;
  /** Of a workspace: its folder, and what the lockfile says of that. */
  readonly link: string | undefined;
  readonly workspace: unknown;
}

/**
 * What `npm ci --workspace=<workspace> --omit=dev` installs: packages, and links to other workspaces. npm decides the same from the
 * same lockfile; optional packages may be there or not. A peer that is optional is no reason here: npm brings it along where
 * another workspace has it, and `docker/trim-packages.mjs` takes it away.
 */
export function listInstalledFor(workspace: string): readonly InstalledPackage[] {
  const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, unknown>>;
  };
  const { packages } = lockfile.parse(locked);
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
  return [...found].map(([path, link]) => ({
    path,
    described: locked.packages[path],
    link,
    workspace: link === undefined ? undefined : locked.packages[link],
  }));
}
