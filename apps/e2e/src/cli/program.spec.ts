// The program as it is installed: started by an older Node than it is written for, and asked for its version.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from './tollgate.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const versionIn = (path: string): unknown =>
  (JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { version: string }).version;

/** Nodes before 22 read no TypeScript; this one is told not to. */
const start = (...args: string[]) =>
  spawnSync(process.execPath, ['--no-experimental-strip-types', PROGRAM, ...args], { encoding: 'utf8' });

test('it tells its version, which is that of Tollgate, under a Node that reads no TypeScript', () => {
  expect(start('--version')).toMatchObject({ status: 0, stdout: `${String(versionIn('package.json'))}\n` });
  expect(versionIn('tools/cli/package.json')).toBe(versionIn('package.json'));
});

test('it ends with the exit code of the command', () => {
  expect(start('no-such-command')).toMatchObject({ status: 1, stdout: '' });
});
