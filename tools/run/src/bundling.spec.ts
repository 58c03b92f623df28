import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPackageList } from '../bundling/packages.mjs';
import { thinMaps } from '../bundling/source-maps.mjs';
import { decodeMappings, encodeMappings } from '../bundling/vlq.mjs';

const OWN = '../../../libs/money/src/money.ts';
const PACKAGE = '../../../node_modules/zod/v4/core.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-bundle-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const PROGRAM = 'one;\ntwo;\nthree;\n//# sourceMappingURL=main.js.map\n';

/** Writes a program with its map, and has the map made smaller. */
function makeThin(sources: readonly string[], mappings: number[][][]) {
  const file = join(directory, 'main.js');
  writeFileSync(file, PROGRAM);
  writeFileSync(
    `${file}.map`,
    JSON.stringify({ version: 3, sources, names: [], mappings: encodeMappings(mappings) }),
  );
  thinMaps(directory);
  const map = existsSync(`${file}.map`)
    ? (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[]; mappings: string })
    : undefined;
  return { map, program: readFileSync(file, 'utf8') };
}

test('a map names the lines of our sources, and nothing of packages', () => {
  const { map } = makeThin(
    [PACKAGE, OWN],
    [
      [
        [0, 1, 4, 2],
        [3, 1, 4, 9],
        [7, 1, 5, 0],
      ],
      [
        [0, 0, 90, 0],
        [5, 0, 91, 0],
      ],
      [[0, 1, 6, 4]],
    ],
  );
  if (map === undefined) throw new Error('there is no map');
  expect(map.sources).toEqual([OWN]);
  // Line 5 has one place for three: nobody sets a breakpoint in an image.
  expect(decodeMappings(map.mappings)).toEqual([
    [
      [0, 0, 4, 2],
      [7, 0, 5, 0],
    ],
    [[0]],
    [[0, 0, 6, 4]],
  ]);
  const node = new SourceMap({
    file: 'main.js',
    version: 3,
    sourcesContent: [],
    names: [],
    sourceRoot: '',
    ...map,
  });
  expect(node.findEntry(0, 5)).toMatchObject({ originalSource: OWN, originalLine: 4 });
  // As far as Node is asked, a package's line has no source: a trace names the line of the bundle.
  expect(node.findEntry(1, 6)).not.toHaveProperty('originalSource', OWN);
  expect(node.findEntry(2, 1)).toMatchObject({ originalSource: OWN, originalLine: 6 });
});

// https://tc39.es/ecma426/#sec-base64-vlq
test.each([
  [0, 'A'],
  [1, 'C'],
  [-1, 'D'],
  [15, 'e'],
  [16, 'gB'],
  [123, '2H'],
  [-123_456, 'hkxH'],
])('%i in a map is %s', (value, text) => {
  expect(encodeMappings([[[value]]])).toBe(text);
  expect(decodeMappings(text)).toEqual([[[value]]]);
});

test('a file without any code of ours has no map', () => {
  const { map, program } = makeThin([PACKAGE], [[[0, 0, 1, 0]]]);
  expect(map).toBeUndefined();
  expect(program).toBe('one;\ntwo;\nthree;\n');
});

test('what an app names is in its bundle; what stays out, others brought along, or nobody has is not', () => {
  const root = join(import.meta.dirname, '../../..');
  const here = process.cwd();
  try {
    process.chdir(join(root, 'apps/billing'));
    const { isExternal } = openPackageList(root, [/^pg$/]);
    const ours = join(root, 'apps/billing/dist/main.js');
    const typeorm = join(root, 'node_modules/typeorm/index.js');
    expect(isExternal('zod', ours)).toBe(false);
    expect(isExternal('./start.js', ours)).toBe(false);
    expect(isExternal('@tollgate/money', ours)).toBe(false);
    expect(isExternal('node:fs', ours)).toBe(false);
    expect(isExternal('pg', typeorm)).toBe(true);
    expect(isExternal('mysql2', typeorm)).toBe(true);
    expect(isExternal('@fastify/static', join(root, 'node_modules/@nestjs/core/index.js'))).toBe(true);
    expect(isExternal('no-such-package', typeorm)).toBe(false);
  } finally {
    process.chdir(here);
  }
});
