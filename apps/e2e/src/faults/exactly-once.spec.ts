import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressThrough,
  freePort,
  type RunningStack,
  startTcpProxy,
  type TcpProxy,
  waitFor,
} from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { sendAndLeave } from '../leave.ts';
import { startTestStack } from '../test-stack.ts';
import { paced, send } from './load.ts';

const TOTAL = 1_000;
const PER_SECOND = 250;
const SETTLED_WITHIN_MS = 60_000;
const PATIENCE_MS = 120_000;

const home = mkdtempSync(join(tmpdir(), 'tollgate-faults-'));
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let proxy: TcpProxy;
let stack: RunningStack;
let books: Books;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    // The gateway alone sees Redis through something that can be cut.
    env: async (service, redisUrl) => {
      if (service !== 'gateway') return {};
      proxy = await startTcpProxy({ port: Number(new URL(redisUrl).port) });
      // Nobody is to wait for one that hangs.
      return { REDIS_URL: addressThrough(redisUrl, proxy), REDIS_TIMEOUT_MS: '250' };
    },
  });
  books = openBooks(stack.databaseUrl);
});

afterAll(async () => {
  agent.destroy();
  await books?.close();
  await stack?.stop();
  await proxy?.stop();
  rmSync(home, { recursive: true, force: true });
});

const counts = () =>
  books.one(`
    SELECT (SELECT count(*) FROM billing.usage)::int AS rows,
           (SELECT coalesce(sum(numbers), 0) FROM billing.ledger_transaction WHERE kind = 'usage')::int AS numbers,
           (SELECT -sum(amount_pico) FROM billing.ledger_entry WHERE ledger_account LIKE 'customer:%')
             = (SELECT sum(cost_pico) FROM billing.usage) AS is_charged,
           (SELECT coalesce(sum(amount_pico), 0) FROM billing.ledger_entry)::text AS sum,
           (SELECT count(*) FROM billing.usage_rejected)::int AS rejected`);

let sent = 0;

/** Runs the load, until as many rows have come as there were requests; answers how many there were before. */
async function rowsAfter(
  faults: Record<number, () => void>,
): Promise<{ statuses: number[]; before: number }> {
  const before = Number((await counts())['rows']);
  sent += TOTAL;
  const statuses = await paced(TOTAL, PER_SECOND, (n) => send(stack.baseUrl, stack.apiKey, agent, n), faults);
  await waitFor(
    async () => Number((await counts())['rows']) >= before + TOTAL,
    'every row',
    SETTLED_WITHIN_MS,
    100,
  );
  return { statuses, before };
}

async function expectExact(before: number): Promise<void> {
  const rows = before + TOTAL;
  expect(await counts()).toEqual({ rows, numbers: rows, is_charged: true, sum: '0', rejected: 0 });
}

test(
  'billing is killed in the middle of 1,000 requests: each is posted exactly once',
  async () => {
    const { statuses, before } = await rowsAfter({
      500: () => stack.services.get('billing')?.process.kill(),
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expectExact(before);
  },
  PATIENCE_MS,
);

test(
  'billing is killed again and again: each request is posted exactly once',
  async () => {
    const kill = () => stack.services.get('billing')?.process.kill();
    const { before } = await rowsAfter({ 150: kill, 450: kill, 750: kill, 999: kill });
    await expectExact(before);
  },
  PATIENCE_MS,
);

test(
  'the gateway’s Redis is cut off for 3 s in the middle of 1,000 requests: each is posted exactly once',
  async () => {
    const { statuses, before } = await rowsAfter({
      200: () => {
        proxy.cut();
        setTimeout(() => proxy.restore(), 3_000);
      },
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expectExact(before);
  },
  PATIENCE_MS,
);

test(
  'the gateway’s Redis hangs for 3 s: nobody waits for it, and each request is posted exactly once',
  async () => {
    const { statuses, before } = await rowsAfter({
      200: () => {
        proxy.blackhole();
        setTimeout(() => proxy.restore(), 3_000);
      },
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expectExact(before);
  },
  PATIENCE_MS,
);

test(
  'the gateway is told to stop in the middle of streams: they finish, and each is posted; what clients left is ended',
  async () => {
    const before = Number((await counts())['rows']);
    const slow = Array.from({ length: 20 }, async () => {
      const answer = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'sim-chat',
          stream: true,
          messages: [{ role: 'user', content: '[[sim {"words":20,"chunk_delay_ms":50}]]' }],
        }),
      });
      return answer.text();
    });
    const leave = (mark: string, stream: boolean, script: object) =>
      sendAndLeave(stack, {
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${stack.apiKey}` },
        body: {
          model: 'sim-chat',
          stream,
          messages: [{ role: 'user', content: `${mark} [[sim ${JSON.stringify(script)}]]` }],
        },
        mark,
        moment: stream ? 'after the first event' : 'before the first byte',
        lastWord: 'word2000',
      });
    await Promise.all([
      leave('left in mid-stream', true, { words: 2_000, chunk_delay_ms: 50 }),
      leave('left before the first byte', false, { first_delay_ms: 60_000 }),
      sleep(300),
    ]);
    await stack.services.get('gateway')?.process.stop();
    for (const text of await Promise.all(slow)) expect(text).toMatch(/\[DONE\]\n\n$/);
    await waitFor(
      async () => Number((await counts())['rows']) === before + 22,
      'the rows of the streams',
      30_000,
      100,
    );
    sent += 22;
    // Charged as far as it was known, and not by what was held: it was not the client that ended it.
    const { left } = await books.one(
      `SELECT string_agg(http_status || (CASE WHEN tokens_output < 100 THEN ' little' ELSE ' much' END), ', '
         ORDER BY http_status) AS left
       FROM billing.usage WHERE outcome = 'client_aborted'`,
    );
    expect(left).toBe('200 little, 499 little');
  },
  PATIENCE_MS,
);

test('nothing of all that is posted a second time later on', async () => {
  await sleep(3_000);
  expect(await counts()).toMatchObject({
    rows: sent,
    numbers: sent,
    is_charged: true,
    sum: '0',
    rejected: 0,
  });
});
