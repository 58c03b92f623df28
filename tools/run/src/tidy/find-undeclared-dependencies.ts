import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Source } from './read-sources.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What loads nothing when a program runs: all other imports stay, also of types alone (`verbatimModuleSyntax`). */
const TYPES =
  /^(?:import|export) type [^;]*;|^declare module '[^']*'|\btypeof import\([^)]*\)|\bimport\([^)]*\)\./gm;
/** They run in no image. */
const IS_TEST = /\.spec\.ts$|\/golden\/|\/testing\//;

/**
 * Packages that a project's program loads though its `package.json` does not name them, as `manifest package`. npm leaves
 * them out of its image.
 */
export function findUndeclaredDependencies(
  root: string,
  manifest: string,
  sources: readonly Source[],
): string[] {
  const { name: own, dependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as Manifest;
  const folder = manifest.replace(/package\.json$/, 'src/');
  const loaded = sources
    .filter(({ path }) => path.startsWith(folder) && path.endsWith('.ts') && !IS_TEST.test(path))
    .flatMap(({ text }) => ts.preProcessFile(text.replace(TYPES, ''), true, true).importedFiles)
    .filter(({ fileName }) => !/^(?:\.|node:)/.test(fileName))
    .map(({ fileName }) =>
      fileName
        .split('/')
        .slice(0, fileName.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(loaded)]
    .filter((name) => name !== own && !Object.hasOwn(dependencies, name))
    .sort()
    .map((name) => `${manifest} ${name}`);
}
