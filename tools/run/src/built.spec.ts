import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isBuilt, lookAt, noteBuilt } from '../built.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tollgate-built-'));
  for (const file of [
    'package-lock.json',
    'libs/money/src/money.ts',
    'libs/money/src/money.spec.ts',
    'libs/money/dist/money.js',
    'libs/money/node_modules/.bin/any',
    'apps/console/src/shell/words.json',
    'apps/console/src/api/generated/sdk.ts',
  ])
    write(file);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), file);
}

const touch = (file: string) => utimesSync(join(root, file), 1, 1);
const remove = (file: string) => rmSync(join(root, file));

test('what was never noted is not built', () => {
  expect(isBuilt(root)).toBe(false);
});

test('what was noted is built until something changes', () => {
  noteBuilt(root, lookAt(root).sources);
  expect(isBuilt(root)).toBe(true);
});

test.each([
  ['a source is written', () => touch('libs/money/src/money.ts')],
  ['a source is new', () => write('libs/money/src/sum.ts')],
  ['a source is gone', () => remove('apps/console/src/shell/words.json')],
  ['other packages are installed', () => touch('package-lock.json')],
  ['an output is gone', () => remove('libs/money/dist/money.js')],
  ['an output is another', () => touch('libs/money/dist/money.js')],
  ['what is generated among the sources is another', () => touch('apps/console/src/api/generated/sdk.ts')],
])('when %s it is built no longer', (_what, change) => {
  noteBuilt(root, lookAt(root).sources);
  change();
  expect(isBuilt(root)).toBe(false);
});

test.each([
  ['a test', () => touch('libs/money/src/money.spec.ts')],
  ['a new document', () => write('libs/money/README.md')],
  ['a program of a package', () => touch('libs/money/node_modules/.bin/any')],
])('%s is in no build', (_what, change) => {
  noteBuilt(root, lookAt(root).sources);
  change();
  expect(isBuilt(root)).toBe(true);
});

test('what is written during the build is built the next time', () => {
  const { sources } = lookAt(root);
  touch('libs/money/src/money.ts');
  touch('libs/money/dist/money.js');
  noteBuilt(root, sources);
  expect(isBuilt(root)).toBe(false);
});
