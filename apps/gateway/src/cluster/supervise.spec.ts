import { join } from 'node:path';
import { createLogger } from '@tollgate/platform';
import { waitFor } from '@tollgate/harness';
import { reservePort } from './reserve-port.ts';
import { type Supervised, supervise } from './supervise.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'testing', 'supervised.ts');
let port: number;
let log: Record<string, unknown>[];
let running: Supervised | undefined;
beforeEach(async () => {
  port = await reservePort('127.0.0.1', 0);
  log = [];
  running = undefined;
});
afterEach(() => running?.stop('SIGINT').catch(() => {}));

async function start(
  processes: number,
  env: Record<string, string> = {},
  { killAfterMs = 60_000, pingEveryMs = 60_000 } = {},
): Promise<Supervised> {
  running = await supervise({
    script: SCRIPT,
    processes,
    killAfterMs,
    pingEveryMs,
    env: { PORT: String(port), NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...env },
    logger: createLogger('test', 'info', { write: (line) => void log.push(JSON.parse(line)) }),
  });
  return running;
}

interface WorkerAnswer {
  readonly number: number;
  readonly of: number;
  readonly pid: number;
}

/** What is answered on a new connection; nothing while all of them are away. */
async function ask<T = WorkerAnswer>(path = '/'): Promise<T | undefined> {
  const headers = { connection: 'close' };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined);
  return answer && ((await answer.json()) as T);
}
async function everybody(processes: number): Promise<Map<number, number>> {
  const met = new Map<number, number>();
  await waitFor(async () => {
    const one = await ask();
    if (one) met.set(one.number, one.pid);
    return met.size === processes;
  }, 'an answer of each process');
  return met;
}

test('all processes answer on one port once it has started, each knowing which it is', async () => {
  const { pids } = await start(3);
  const met = await everybody(3);
  expect([...met.keys()].sort()).toEqual([1, 2, 3]);
  expect([...met.values()].sort()).toEqual([...pids()].sort());
  expect((await ask())?.of).toBe(3);
});

test('a process that ends is started again under its number, while the others serve', async () => {
  const { pids } = await start(2);
  const before = pids();
  await ask('/crash');
  await waitFor(() => pids().some((pid) => !before.includes(pid)), 'a new process');
  const met = await everybody(2);
  expect([...met.values()].filter((pid) => before.includes(pid))).toHaveLength(1);
  expect(log.find(({ how }) => how === 'exit code 9')).toMatchObject({
    level: 50,
    event: 'worker_ended',
    restart_in_ms: 250,
  });
});

test('a process that hangs is killed and started again', async () => {
  const { pids } = await start(2, {}, { pingEveryMs: 500 });
  const before = pids();
  const hangs = ask('/hang');
  await waitFor(() => pids().some((pid) => !before.includes(pid)), 'a new process');
  expect(await hangs).toBeUndefined();
  await everybody(2);
  expect(log.filter(({ how }) => how === 'SIGKILL')).not.toEqual([]);
});

test('told to stop, it stops all of them and leaves none behind', async () => {
  const { pids, stop } = await start(2);
  const before = pids();
  await stop('SIGTERM');
  expect(before.filter(isThere)).toEqual([]);
  expect(await ask()).toBeUndefined();
});

test('a process that does not stop in time is killed, and said to have been', async () => {
  const { pids, stop } = await start(2, { DEAF: '2' }, { killAfterMs: 1_000 });
  const before = pids();
  await expect(stop('SIGTERM')).rejects.toThrow('process 2 ended with SIGKILL');
  expect(before.filter(isThere)).toEqual([]);
});

test('where one cannot start nothing is started, and it says which', async () => {
  await expect(start(2, { FAILS: '2' })).rejects.toThrow(
    'process 2 ended with exit code 3 before it had started',
  );
  expect(await ask()).toBeUndefined();
});

test.each([
  [{}, ['page of 1', 'page of 2', 'page of 3']],
  [{ DEAF: '2' }, ['page of 1', 'page of 3']],
])('whoever is asked for the pages of all gets those that are given, with %j', async (env, pages) => {
  await start(3, env);
  expect(await ask<string[]>('/scrape')).toEqual(pages);
});

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
