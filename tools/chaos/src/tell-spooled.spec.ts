// Files of a spool, with jobs in a real Redis and rows of the three tables in a real PostgreSQL that hold what is posted.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toQueueKey, USAGE_QUEUE } from '@tollgate/contracts';
import {
  createTestDatabase,
  redisCall,
  type RunningRedis,
  startRedis,
  type TestDatabase,
} from '@tollgate/harness';
import { withBooks } from './gather.ts';
import { tellSpooled } from './tell-spooled.ts';

let database: TestDatabase;
let redis: RunningRedis;
let home: string;
beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startRedis()]);
  home = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
});
afterAll(async () => {
  await Promise.all([database.drop(), redis.stop()]);
  rmSync(home, { recursive: true, force: true });
});

test('a spool that does not empty is shown with what the books lack of it, and where jobs are', async () => {
  const file = join(home, '1.jsonl');
  writeFileSync(
    file,
    ['req_1', 'req_2', 'req_3', 'req_4.1'].map((id) => `{"request_id":"${id}"}\n`).join(''),
  );
  await redisCall(redis.port, 'RPUSH', toQueueKey(USAGE_QUEUE, 'active'), 'a job');
  const text = await withBooks(database.url, async (query) => {
    await query('CREATE SCHEMA billing');
    for (const [table, id] of Object.entries({
      usage: 'req_1',
      lost_attempt: 'req_4.1',
      usage_rejected: 'req_2',
    }))
      await query(`CREATE TABLE billing.${table} AS SELECT '${id}'::text AS request_id`);
    return tellSpooled([file, join(home, 'gone.jsonl')], { query, redisPort: redis.port });
  });
  expect(text).toContain(`${file}: {"request_id":"req_1"}`);
  expect(text).toContain('\n1 of 4 events are not in the books: req_3');
  expect(text).toContain(`\njobs: 1 in ${toQueueKey(USAGE_QUEUE, 'active')}`);
});
