import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '../install.mjs';

let root: string;
let path: string | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tollgate-install-'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  mkdirSync(join(root, 'node_modules'));
  // An npm that installs nothing.
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'npm'), '#!/bin/sh\n');
  chmodSync(join(root, 'bin', 'npm'), 0o755);
  path = process.env['PATH'];
  process.env['PATH'] = `${join(root, 'bin')}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(root, { recursive: true, force: true });
});

const lockedBy = (pid: number): string => {
  const lock = join(root, '.tollgate-install.lock');
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), String(pid));
  return lock;
};

test('an install that was killed holds nobody up', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const lock = lockedBy(pid);
  const said: string[] = [];
  await install(root, (text: string) => said.push(text));
  expect(said.join()).not.toContain('waiting');
  expect(existsSync(lock)).toBe(false);
});

test('one that is running is waited for', async () => {
  const lock = lockedBy(process.pid);
  const said: string[] = [];
  const installing = install(root, (text: string) => said.push(text));
  expect(said).toEqual(['Another install of this checkout is running; waiting for it']);
  rmSync(lock, { recursive: true });
  await installing;
  expect(said.join()).toContain('Dependencies installed');
});
