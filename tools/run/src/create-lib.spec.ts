import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLib } from './create-lib.ts';

const ROOT = join(import.meta.dirname, '../../..');
const COPIED = [
  '.oxfmtrc.json',
  'docs/architecture.md',
  'jest.config.mjs',
  'package-lock.json',
  'package.json',
  'tools/run/end-to-end-first.mjs',
  'tools/run/jest',
  'tools/run/src/imports/boundaries.ts',
  'tools/run/test.mjs',
  'tsconfig.base.json',
];

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'tollgate-lib-'));
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  for (const folder of ['apps', 'libs']) mkdirSync(join(copy, folder));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
afterEach(() => rmSync(copy, { recursive: true }));
const read = (path: string) => readFileSync(join(copy, path), 'utf8');

test('a new lib is formatted, type-checked and tested like the others, and stands wherever they do', async () => {
  const written = await createLib(copy, 'rate-cards');
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  const formatted = run('node_modules/.bin/oxfmt', '--check', ...written);
  expect([formatted.stderr, formatted.status]).toEqual(['', 0]);
  const checked = run('node_modules/typescript-native/bin/tsc', '-p', 'libs/rate-cards/tsconfig.json');
  expect([checked.stdout, checked.status]).toEqual(['', 0]);
  expect(run('tools/run/test.mjs', '--selectProjects', 'libs/rate-cards').stdout).toBe(
    '1 passed, 0 failed\n',
  );

  for (const path of ['tools/run/src/imports/boundaries.ts', 'docs/architecture.md'])
    expect(read(path)).toContain('rate-cards');
  const lock = read('package-lock.json').split('\n');
  const before = readFileSync(join(ROOT, 'package-lock.json'), 'utf8').split('\n');
  expect(lock.filter((line) => !before.includes(line)).join('\n')).toContain('rate-cards');
  expect(lock.length - before.length).toBe(8);
}, 60_000);

test.each([
  ['Rate', 'lower case'],
  ['../x', 'lower case'],
  ['', 'lower case'],
])('"%s" is refused as a name', async (name, reason) => {
  await expect(createLib(copy, name)).rejects.toThrow(reason);
});

test('a lib that is there is left alone', async () => {
  mkdirSync(join(copy, 'libs/money'));
  await expect(createLib(copy, 'money')).rejects.toThrow('is there already');
});
