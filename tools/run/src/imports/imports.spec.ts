import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCrossings, MAY_IMPORT } from './boundaries.ts';
import { findCycles } from './cycles.ts';
import type { Project } from './read-imports.ts';

const project = (directory: string, ...tags: string[]): Project => ({ directory, name: directory, tags });
const PROJECTS = [
  project('libs/money', 'type:domain', 'scope:money'),
  project('libs/platform', 'type:platform', 'scope:platform'),
  project('apps/gateway', 'type:app', 'scope:gateway'),
  project('apps/billing', 'type:app', 'scope:billing'),
  project('tools/harness', 'type:tool', 'scope:harness'),
  project('tools/odd', 'type:odd'),
];
const crossings = (from: string, to: string) => findCrossings([{ from, to }], PROJECTS);

test.each([
  ['an app', 'apps/gateway/src/start.ts', 'libs/money'],
  ['a file of its own', 'libs/money/src/amount.ts', 'libs/money/src/ratio.ts'],
  ['a spec, of servers', 'libs/platform/src/redis.spec.ts', 'tools/harness'],
])('%s may import what its tags allow', (_who, from, to) => {
  expect(crossings(from, to)).toEqual([]);
});

test.each([
  ['a lib of an app', 'libs/money/src/amount.ts', 'apps/gateway'],
  ['an app of another', 'apps/gateway/src/start.ts', 'apps/billing'],
  ['a lib of a tool, outside specs', 'libs/platform/src/redis.ts', 'tools/harness'],
  ['a project without a known tag', 'tools/odd/src/odd.ts', 'libs/money'],
  ['a file of another project', 'apps/gateway/src/start.ts', 'libs/money/src/amount.ts'],
])('an import is a crossing: %s', (_what, from, to) => {
  expect(crossings(from, to)).toEqual([expect.stringContaining(from.startsWith('tools/odd') ? 'tag' : from)]);
});

const imports = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [from = '', to = ''] = pair.split('>');
    return { from, to };
  });

test('files that import each other are one circle, by however many steps', () => {
  expect(findCycles(imports('a>b', 'b>c', 'c>a', 'c>d', 'd>e', 'x>a'))).toEqual([['a', 'b', 'c']]);
});

test('two circles that share no file are two', () => {
  expect(findCycles(imports('a>b', 'b>a', 'b>x', 'x>y', 'y>x'))).toEqual([
    ['x', 'y'],
    ['a', 'b'],
  ]);
});

test('what is imported by two ways is no circle', () => {
  expect(findCycles(imports('a>b', 'a>c', 'b>d', 'c>d', 'b>c'))).toEqual([]);
});

test('every lib stands in the table of docs/architecture.md, with what it may import', () => {
  const root = join(import.meta.dirname, '../../../..');
  const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(
    /^\| `libs\/([\w-]+)` +\|[^|]+\|([^|]+)\|$/gm,
  );
  const shown = [...rows].map(([, lib = '', may = '']) => [
    lib,
    (may.match(/[\w-]+(?=`)/g) ?? []).toSorted(),
  ]);
  const libs = readdirSync(join(root, 'libs'));
  const real = libs.map((lib) => [
    lib,
    // Which every lib may import, the text above the table says.
    (MAY_IMPORT[`scope:${lib}`] ?? [])
      .map((tag) => tag.replace('scope:', ''))
      .filter((name) => name !== 'vocabulary')
      .toSorted(),
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(real));
  expect(libs.length).toBeGreaterThan(8);
});
