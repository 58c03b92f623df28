import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = globSync('apps/*/src/database/migrations', { cwd: ROOT });

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

/** Where a file of hashes, as `sha256sum` writes it, and the files beside it differ. */
function compareHashes(hashes: string, files: Readonly<Record<string, string>>): string[] {
  const landed = new Map(
    hashes
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const faults = [...landed.keys()]
    .filter((name) => !(name in files))
    .map((name) => `${name} is gone: what has been applied somewhere stays. Put it back.`);
  for (const [name, text] of Object.entries(files)) {
    const hash = createHash('sha256').update(text).digest('hex');
    if (!landed.has(name))
      faults.push(`${name} is new: add the line "${hash}  ${name}" to frozen.sha256 when it is finished.`);
    else if (landed.get(name) !== hash)
      faults.push(`${name} has landed and is frozen: put it back, and write a new migration.`);
  }
  return faults;
}

test('there are migrations to look at', () => {
  expect(FOLDERS.sort()).toEqual([
    'apps/billing/src/database/migrations',
    'apps/pricing/src/database/migrations',
  ]);
});

test.each(FOLDERS)('migrations in %s are what they were when they landed', (folder) => {
  const names = globSync('[0-9]*.ts', { cwd: join(ROOT, folder) });
  const files = Object.fromEntries(names.map((name) => [name, read(folder, name)]));
  expect(compareHashes(read(folder, 'frozen.sha256'), files)).toEqual([]);
});

test.each(FOLDERS)('migrations in %s import nothing that may change', (folder) => {
  for (const path of globSync(`${folder}/[0-9]*.ts`, { cwd: ROOT })) {
    const imports = read(path).match(/^import .*|\bimport\(.*|\brequire\(.*/gm);
    expect([basename(path), imports]).toEqual([
      basename(path),
      ["import type { MigrationInterface, QueryRunner } from 'typeorm';"],
    ]);
  }
});

test('a migration that was changed, renamed or added is named', () => {
  const hash = createHash('sha256').update('one').digest('hex');
  const hashes = `${hash}  1-one.ts\n`;
  expect(compareHashes(hashes, { '1-one.ts': 'one' })).toEqual([]);
  expect(compareHashes(hashes, { '1-one.ts': 'other' })).toEqual([
    '1-one.ts has landed and is frozen: put it back, and write a new migration.',
  ]);
  expect(compareHashes(hashes, { '2-one.ts': 'one' })).toEqual([
    '1-one.ts is gone: what has been applied somewhere stays. Put it back.',
    `2-one.ts is new: add the line "${hash}  2-one.ts" to frozen.sha256 when it is finished.`,
  ]);
});
