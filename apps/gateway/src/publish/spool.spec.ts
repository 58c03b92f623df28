import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { createLogger } from '@tollgate/platform';
import { openSpool } from './spool.ts';

const logger = createLogger('test', 'silent');
let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'spool-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const event = (n: number): UsageEvent => ({
  v: 1,
  request_id: `req_${String(n).padStart(12, '0')}`,
  occurred_at: '2026-11-21T10:00:00.000Z',
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  group: 'default',
  model: 'm',
  upstream: 'u',
  upstream_model: 'm',
  protocol: 'openai-chat',
  stream: false,
  snapshot_version: 1,
  tokens: { input: n },
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 1,
  first_byte_ms: 1,
});

const events = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => event(from + i));

test('what was appended is replayed in order, and the disk is free again', async () => {
  const spool = await openSpool(directory, logger);
  await spool.append(events(0, 250));
  await spool.append(events(250, 300));
  const taken: UsageEvent[] = [];
  expect(await spool.replay(async (batch) => void taken.push(...batch))).toBe(300);
  expect(taken).toEqual(events(0, 300));
  expect(spool.isEmpty()).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
});

test('a replay that fails loses nothing', async () => {
  const spool = await openSpool(directory, logger);
  await spool.append(events(0, 450));
  let calls = 0;
  const failing = spool.replay(async () => {
    calls += 1;
    if (calls === 2) throw new Error('Redis is away again');
  });
  await expect(failing).rejects.toThrow('away again');
  expect(spool.isEmpty()).toBe(false);
  const taken = new Set<string>();
  await spool.replay(async (batch) => batch.forEach(({ request_id }) => taken.add(request_id)));
  expect(taken.size).toBe(450);
});

test('events that a killed process left are taken up, without the half line of its last write', async () => {
  const killed = await openSpool(directory, logger);
  await killed.append(events(0, 3));
  const [open] = readdirSync(directory);
  appendFileSync(join(directory, open as string), '{"v":1,"request_id":"req_ha');
  const next = await openSpool(directory, logger);
  expect(next.isEmpty()).toBe(false);
  const taken: UsageEvent[] = [];
  await next.replay(async (batch) => void taken.push(...batch));
  expect(taken).toEqual(events(0, 3));
});

test('appends during a replay go to a file of their own', async () => {
  const spool = await openSpool(directory, logger);
  await spool.append(events(0, 2));
  const taken: number[] = [];
  await spool.replay(async (batch) => {
    if (taken.length === 0) await spool.append(events(2, 4));
    taken.push(...batch.map(({ tokens }) => tokens.input ?? -1));
  });
  expect(taken).toEqual([0, 1]);
  expect(spool.isEmpty()).toBe(false);
  await spool.replay(async (batch) => void taken.push(...batch.map(({ tokens }) => tokens.input ?? -1)));
  expect(taken).toEqual([0, 1, 2, 3]);
});
