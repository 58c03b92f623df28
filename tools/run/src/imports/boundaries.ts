import type { Import, Project } from './read-imports.ts';

const LIBS = ['type:contract', 'type:domain', 'type:platform'];

/** Arrows point down only: what projects with a tag may import, by tags. The first tag that stands here decides. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'scope:vocabulary': [],
  'scope:money': ['scope:vocabulary'],
  'scope:catalogue': ['scope:vocabulary', 'scope:money'],
  'scope:contracts': ['scope:vocabulary', 'scope:catalogue'],
  'scope:protocols': ['scope:vocabulary'],
  'scope:metering': ['scope:vocabulary', 'scope:protocols'],
  'scope:limits': ['scope:vocabulary', 'scope:catalogue', 'scope:contracts'],
  'scope:api': ['scope:vocabulary', 'scope:catalogue', 'scope:contracts', 'scope:money'],
  'scope:platform': ['scope:vocabulary', 'scope:contracts', 'scope:api'],
  'scope:providers': ['scope:vocabulary', 'scope:catalogue', 'scope:money'],
  'type:app': [...LIBS, 'type:tool', 'scope:simulator'],
  // It answers for prices, by the means of platform, before a billing of its own.
  'scope:bench': [...LIBS, 'type:tool', 'scope:simulator'],
  // The page of the simulator's rules is written by a tool.
  'type:tool': ['type:contract', 'type:domain', 'type:tool', 'scope:simulator'],
  'type:e2e': [...LIBS, 'type:tool', 'type:app', 'type:e2e'],
};

/** Specs start real servers. */
const MAY_IMPORT_IN_SPECS = ['scope:harness'];

/** @returns a sentence for each import that crosses a boundary. */
export function findCrossings(imports: readonly Import[], projects: readonly Project[]): string[] {
  const ownerOf = (path: string) =>
    projects.find(({ directory }) => path === directory || path.startsWith(`${directory}/`));
  return imports.flatMap(({ from, to }) => {
    const importer = ownerOf(from);
    const imported = ownerOf(to);
    if (importer === undefined || importer === imported) return [];
    if (imported === undefined || to !== imported.directory)
      return [`${from} imports ${to}, a file of another project: import what that project exports.`];
    const tag = Object.keys(MAY_IMPORT).find((known) => importer.tags.includes(known));
    if (tag === undefined)
      return [`${importer.directory} has no tag that tools/run/src/imports/boundaries.ts knows.`];
    const allowed = [...(MAY_IMPORT[tag] ?? []), ...(from.endsWith('.spec.ts') ? MAY_IMPORT_IN_SPECS : [])];
    if (imported.tags.some((known) => allowed.includes(known))) return [];
    return [`${from} imports ${to}, but ${tag} may import ${allowed.join(', ') || 'nothing'} only.`];
  });
}
