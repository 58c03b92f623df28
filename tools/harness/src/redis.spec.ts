import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort, isFree } from './ports.ts';
import { type RunningRedis, startRedis } from './redis.ts';
import { waitFor } from './wait-for.ts';

const running: RunningRedis[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function start(options: Parameters<typeof startRedis>[0] = {}): Promise<RunningRedis> {
  const server = await startRedis(options);
  running.push(server);
  return server;
}

/** One command on a connection of its own. */
async function ask(server: RunningRedis, command: string, ...words: string[]): Promise<unknown> {
  const redis = new Redis(server.url, { replyMapping: 'legacy' });
  try {
    return await redis.call(command, ...words);
  } finally {
    redis.disconnect();
  }
}

test('answers as soon as it is started, on the port it is given', async () => {
  const port = await freePort();
  const server = await start({ port });
  expect([server.port, await ask(server, 'PING')]).toEqual([port, 'PONG']);
});

test.each(['stop', 'kill'] as const)('a %s frees the port, and a restart takes it again', async (end) => {
  const server = await start();
  await ask(server, 'SET', 'a', '1');
  await server[end]();
  expect(await isFree(server.port)).toBe(true);
  await server.restart();
  expect(await ask(server, 'GET', 'a')).toBeNull();
});

test('keeps its data in a directory, and ends a server that was left behind there', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'harness-redis-'));
  try {
    const first = await start({ directory });
    await ask(first, 'CONFIG', 'SET', 'appendfsync', 'always');
    await ask(first, 'SET', 'a', '1');
    const second = await start({ directory });
    await waitFor(() => isFree(first.port), 'the end of the first');
    expect(await ask(second, 'GET', 'a')).toBe('1');
    await second.stop();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
