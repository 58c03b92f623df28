import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpoolDirectory, spoolNumbers, spoolRoot, takeSpool } from './spool-directory.ts';

const HOLDER = join(import.meta.dirname, '..', '..', 'testing', 'lock-holder.ts');
let root: string;
let taken: SpoolDirectory[];
let others: ChildProcess[];
beforeEach(async () => {
  root = await spoolRoot(mkdtempSync(join(tmpdir(), 'spools-')));
  taken = [];
  others = [];
});
afterEach(async () => {
  for (const each of taken) await each.release();
  for (const each of others) each.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

async function take(number: number, of: number): Promise<string> {
  const spool = await takeSpool(root, { number, of });
  taken.push(spool);
  return spool.path;
}

/** Another process that takes a spool, and where it got one. */
async function takeElsewhere(number: number, of: number): Promise<{ path: string; other: ChildProcess }> {
  const options = { execArgv: ['--disable-warning=ExperimentalWarning', '--conditions=@tollgate/source'] };
  const other = fork(HOLDER, [root, String(number), String(of)], options);
  others.push(other);
  const [path] = (await once(other, 'message')) as [string];
  return { path, other };
}

test('the first process has SPOOL_DIR itself, the others a directory of their number, and they are there', async () => {
  expect(await take(1, 3)).toBe(root);
  expect(await take(2, 3)).toBe(join(root, '2'));
  expect(await take(3, 3)).toBe(join(root, '3'));
  expect(existsSync(join(root, '2'))).toBe(true);
  expect(await spoolNumbers(root)).toEqual([1, 2, 3]);
});

test('a spool that a living process has is nobody else’s, and the same process gets it again once that is killed', async () => {
  const { path, other } = await takeElsewhere(2, 2);
  expect(path).toBe(join(root, '2'));
  expect(await take(2, 2)).toBe(join(root, '4'));
  const gone = once(other, 'exit');
  other.kill('SIGKILL');
  await gone;
  expect(await take(2, 2)).toBe(join(root, '2'));
});

test('two gateways of one process that mean the same directory do not share it, by whatever name they call it', async () => {
  const { path } = await takeElsewhere(1, 1);
  expect(path).toBe(root);
  const link = `${root}-link`;
  symlinkSync(root, link);
  try {
    const spool = await takeSpool(await spoolRoot(link), { number: 1, of: 1 });
    taken.push(spool);
    expect(spool.path).toBe(join(root, '2'));
  } finally {
    rmSync(link);
  }
});

test('what is not named after a number is no spool', async () => {
  for (const name of ['lost+found', '01', '1', '2x', '7']) mkdirSync(join(root, name));
  expect(await spoolNumbers(root)).toEqual([1, 7]);
});
