// A file as a gateway from before there were lines left it goes through a real publisher to a real queue, or past a full one.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USAGE_QUEUE, usageEventSchema } from '@tollgate/contracts';
import { startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, connectRedisForWorker, createLogger } from '@tollgate/platform';
import { Worker } from 'bullmq';
import { createPublisher } from './publisher.ts';
import { openSpool } from './spool.ts';
import { createUsageDelivery } from './usage-delivery.ts';
import { createUsageQueue } from './usage-queue.ts';

const logger = createLogger('test', 'silent');

/** A line as a gateway wrote it before requests had lines of their own. */
const LINE_OF_V1 =
  '6a0729a1 {"job":"job-of-v1","event":{"v":1,"request_id":"req_of_v1","occurred_at":"2026-11-21T10:00:00.000Z",' +
  '"account_id":"0198f1c2-7d1e-7000-8000-000000000001","key_id":"0198f1c2-7d1e-7000-8000-000000000002",' +
  '"group":"default","model":"m","pool":"main","upstream":"u","upstream_model":"m","protocol":"openai-chat",' +
  '"stream":true,"snapshot_version":1,"tokens":{"input":3,"cache_read":4,"output":5},' +
  '"reported_tokens":{"input":3,"cache_read":4,"output":900},"bound":{"input":7,"output":5,"text_only":true},' +
  '"usage_source":"upstream","outcome":"completed","http_status":200,"latency_ms":1,"first_byte_ms":1}}\n';

test.each(['the queue', 'billing itself, as the queue is full'])(
  'what a gateway from before there were lines left on the disk goes to %s, and is read as it was meant',
  async (way) => {
    await using undo = new AsyncDisposableStack();
    const directory = mkdtempSync(join(tmpdir(), 'former-events-'));
    undo.defer(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'former.jsonl'), LINE_OF_V1);
    const server = await startRedis();
    undo.defer(() => server.stop());
    const redis = connectRedis(server.url, logger, { timeoutMs: 20_000 });
    undo.defer(() => redis.disconnect());
    await once(redis, 'ready');
    const taken: unknown[] = [];
    const take = (payload: unknown) => taken.push(...(payload as { events: unknown[] }).events);

    if (way === 'the queue') {
      const connection = connectRedisForWorker(server.url, logger);
      const worker = new Worker(USAGE_QUEUE, ({ data }) => Promise.resolve(take(data)), { connection });
      undo.defer(async () => {
        await worker.close();
        connection.disconnect();
      });
    } else await redis.config('SET', 'maxmemory', '1');
    const publisher = createPublisher({
      redis,
      delivery: createUsageDelivery({
        queue: createUsageQueue(redis, logger, 1),
        billing: {
          request: (_pattern, payload, answer) => {
            take(payload);
            return Promise.resolve(answer.parse(null));
          },
          close: () => undefined,
        },
        logger,
      }),
      spool: await openSpool(directory, logger, {
        segment: { maxEvents: 2_000, maxAgeMs: 100 },
        quarantine: join(directory, 'quarantine'),
      }),
      missing: (requestIds) => Promise.resolve(taken.length > 0 ? [] : requestIds),
      logger,
    });
    await waitFor(() => readdirSync(directory).length === 0, 'the confirmation');
    await publisher.close();

    expect(taken.map((event) => usageEventSchema.parse(event))).toMatchObject([
      {
        v: 2,
        request_id: 'req_of_v1',
        lines: [{ model: 'm', counts: { input: 3, cache_read: 4, output: 5 } }],
        reported_lines: [{ model: 'm', counts: { input: 3, cache_read: 4, output: 900 } }],
        bound: { input: 7, output: 5, text_only: true },
      },
    ]);
  },
);
