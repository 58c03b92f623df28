import { dirname, join, normalize } from 'node:path';
import type { Source } from './read-sources.ts';

const IMPORTED = /(?:^|[\s;}])(?:import|from)\s+'([^']+)'/g;
const LOADED = /\bimport\(\s*'([^']+)'/g;

/** Nest's parts, those that every page of the console has, those that every wire format has, and providers. */
const OF_ITS_OWN =
  /\.spec\.tsx?$|\/index\.ts$|\.(?:module|controller|messages)\.ts$|\/pages\/[^/]+\/(?:page\.config|route|search)\.ts$|^libs\/protocols\/src\/[a-z-]+\/(?:convert\/conversion|dialects|extras|model-list|stored)\.ts$|^libs\/providers\/src\/presets\//;

/**
 * Files with fewer lines than these that one other file alone imports, by their paths, with that file. What is loaded when it
 * is needed is a file for that reason, what a test imports as well is a thing of its own, and a library lists its files in
 * its entry.
 */
export function findSmallFiles(sources: readonly Source[], minLines: number): Map<string, string> {
  const paths = new Set(sources.map(({ path }) => path));
  const importers = new Map<string, Set<string>>();
  const loaded = new Set<string>();
  for (const { path: from, text } of sources) {
    const resolve = (specifier: string): string | undefined => {
      const path = normalize(join(dirname(from), specifier));
      return specifier.startsWith('.') && paths.has(path) ? path : undefined;
    };
    for (const [, specifier = ''] of text.matchAll(IMPORTED)) {
      const path = resolve(specifier);
      if (path) importers.set(path, (importers.get(path) ?? new Set()).add(from));
    }
    for (const [, specifier = ''] of text.matchAll(LOADED)) {
      const path = resolve(specifier);
      if (path) loaded.add(path);
    }
  }
  const small = new Map<string, string>();
  for (const { path, text } of sources) {
    const [importer, another] = importers.get(path) ?? [];
    if (importer === undefined || another !== undefined || /\/index\.ts$/.test(importer)) continue;
    if (text.split('\n').length - 1 < minLines && !loaded.has(path) && !OF_ITS_OWN.test(path))
      small.set(path, importer);
  }
  return small;
}
