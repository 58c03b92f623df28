import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMigrations, requirePostgres } from './migrate.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await write('10-third.js', 'export class Third {}');
  await write('9-second.js', 'export class Second {}');
});
afterEach(() => rm(folder, { recursive: true }));
const write = (name: string, text: string) => writeFile(join(folder, name), text);

test('migrations are found in their folder, in the order of their numbers', async () => {
  await write('1-baseline.js', 'export class Baseline {}');
  await write('1-baseline.js.map', '{}');
  await write('1-baseline.d.ts', 'export declare class Baseline {}');
  await write('frozen.sha256', '');
  await write('index.js', 'export class Index {}');
  const names = (await loadMigrations(folder)).map(({ name }) => name);
  expect(names).toEqual(['Baseline', 'Second', 'Third']);
});

test('a folder without any, and a file with two, are refused', async () => {
  await write('11-two.js', 'export class One {}\nexport class Two {}');
  await expect(loadMigrations(folder)).rejects.toThrow(
    '11-two.js must export its migration, and nothing else',
  );
  await rm(folder, { recursive: true });
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await expect(loadMigrations(folder)).rejects.toThrow('There are no migrations in');
});

test.each([
  ['14.19', 140_019, 'PostgreSQL is 14.19, and must be 15 or newer. Nothing was changed.'],
  ['15.0', 150_000, undefined],
])('on PostgreSQL %s migrations begin, or say that it is too old', async (version, number, refusal) => {
  const query = async (_sql: string, [oldest]: unknown[] = []) => [
    { version, is_known: number >= Number(oldest) },
  ];
  const checked = requirePostgres({ query });
  await (refusal === undefined
    ? expect(checked).resolves.toBeUndefined()
    : expect(checked).rejects.toThrow(refusal));
});
