import { keyRecordRedisKey, keyRecordSchema, type UsageEvent } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { type Ground, silent, startGround } from '../../testing/ground.ts';
import { addKey } from '../../testing/keys.ts';
import { listenForKeys } from '../../testing/listener.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { createDataSource } from '../database/data-source.ts';
import { createKeyChanges, type KeyChanges } from '../keys/key-changes.ts';
import { postBatch } from './post-batch.ts';
import { type Posting, postingOf } from './posting.ts';

const snapshot = snapshotWith({ input: 7, output: 11 }, '1');

let ground: Ground;
let changes: KeyChanges;
beforeEach(async () => {
  ground = await startGround();
  changes = createKeyChanges(ground.database, ground.redis, silent);
});
afterEach(async () => {
  changes.close();
  await ground.stop();
});

function posting(of: Partial<UsageEvent>): Posting {
  const result = postingOf(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.posting;
}

const query = <T>(sql: string): Promise<T[]> => ground.database.query(sql);
const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  list
    .map((value, index) => ({ value, at: ((index + 1) * (seed * 2 + 1) * 7_919) % 10_007 }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );

test('eight posters of the same events in different orders post each exactly once', async () => {
  const { accountId } = ground.first;
  const keys = await Promise.all([1, 2, 3, 4, 5].map(() => addKey(ground.database, { accountId })));
  const postings = Array.from({ length: 500 }, (_, index) =>
    posting({
      account_id: accountId,
      key_id: keys[index % keys.length]?.id ?? '',
      tokens: { input: index, output: 1 },
    }),
  );
  const replicas = await Promise.all([1, 2].map(() => createDataSource(ground.databaseUrl).initialize()));
  const posted = await Promise.all(
    Array.from({ length: 8 }, async (_, poster) => {
      const database = replicas[poster % replicas.length] ?? ground.database;
      let count = 0;
      for (const batch of chunks(shuffled(postings, poster), 70)) {
        count += await postBatch(database, changes, batch, []);
      }
      return count;
    }),
  );
  await Promise.all(replicas.map((replica) => replica.destroy()));

  expect(posted.reduce((sum, count) => sum + count, 0)).toBe(500);
  expect(
    await query(`SELECT count(*)::int AS rows, count(DISTINCT request_id)::int AS ids FROM billing.usage`),
  ).toEqual([{ rows: 500, ids: 500 }]);
  const total = postings.reduce((sum, { costPico }) => sum + costPico, 0n);
  expect(total).toBe(7n * ((499n * 500n) / 2n) + 11n * 500n);
  expect(
    await query(`SELECT ledger_account, sum(amount_pico)::text AS sum, count(*)::int AS entries
      FROM billing.ledger_entry GROUP BY 1 ORDER BY 1`),
  ).toEqual([
    { ledger_account: `customer:${accountId}`, sum: String(-total), entries: 500 },
    { ledger_account: 'revenue:acme', sum: String(total), entries: 500 },
  ]);
  for (const [index, key] of keys.entries()) {
    const spent = postings
      .filter((_, at) => at % keys.length === index)
      .reduce((sum, { costPico }) => sum + costPico, 0n);
    expect(
      await query(`SELECT spent_pico::text AS spent, revision FROM billing.api_key WHERE id = '${key.id}'`),
    ).toEqual([{ spent: String(spent), revision: 1 }]);
  }
});

test('an event that stands twice in one batch is posted once', async () => {
  const twice = posting({ request_id: 'req_twice' });
  expect(await postBatch(ground.database, changes, [twice, twice], [])).toBe(1);
  expect(await postBatch(ground.database, changes, [twice], [])).toBe(0);
  expect(await query('SELECT request_id, cost_pico::text AS cost FROM billing.usage')).toEqual([
    { request_id: 'req_twice', cost: '76' },
  ]);
  expect(await query('SELECT count(*)::int AS entries FROM billing.ledger_entry')).toEqual([{ entries: 2 }]);
});

test('what costs nothing has a usage row and nothing in the ledger', async () => {
  expect(await postBatch(ground.database, changes, [posting({ tokens: {} })], [])).toBe(1);
  expect(await query('SELECT cost_pico::text AS cost FROM billing.usage')).toEqual([{ cost: '0' }]);
  expect(await query('SELECT count(*)::int AS rows FROM billing.ledger_transaction')).toEqual([{ rows: 0 }]);
});

test('every kind of token has its own column', async () => {
  await postBatch(ground.database, changes, [posting({ tokens: { input_audio: 2, cache_write_1h: 3 } })], []);
  expect(
    await query(
      `SELECT tokens_input::int, tokens_input_audio::int, tokens_cache_write_1h::int FROM billing.usage`,
    ),
  ).toEqual([{ tokens_input: 0, tokens_input_audio: 2, tokens_cache_write_1h: 3 }]);
});

test('rejected events are kept with their reason, each request once', async () => {
  const event = usageEvent({ request_id: 'req_rejected' });
  const rejected = [
    { requestId: 'req_rejected', reason: 'no such model', event },
    { requestId: null, reason: 'no event', event: { broken: true } },
  ];
  await postBatch(ground.database, changes, [], rejected);
  await postBatch(ground.database, changes, [], rejected.slice(0, 1));
  expect(
    await query(
      'SELECT request_id, reason, event FROM billing.usage_rejected ORDER BY request_id NULLS LAST',
    ),
  ).toEqual([
    { request_id: 'req_rejected', reason: 'no such model', event },
    { request_id: null, reason: 'no event', event: { broken: true } },
  ]);
});

test('a key that crosses its budget gets a new revision and is announced, once', async () => {
  const { accountId } = ground.first;
  const key = await addKey(ground.database, { accountId, budgetPico: '100' });
  const listener = await listenForKeys(ground.redisServer.url);
  const spend = () =>
    postBatch(
      ground.database,
      changes,
      [posting({ account_id: accountId, key_id: key.id, tokens: { input: 8 } })],
      [],
    );
  const row = () =>
    query(`SELECT spent_pico::text AS spent, revision FROM billing.api_key WHERE id = '${key.id}'`);

  await spend();
  expect(await row()).toEqual([{ spent: '56', revision: 1 }]);
  expect(await query('SELECT * FROM billing.key_change_outbox')).toEqual([]);
  await spend();
  expect(await row()).toEqual([{ spent: '112', revision: 2 }]);
  await waitFor(() => listener.heard.length > 0, 'the event');
  const record = JSON.parse((await ground.redis.get(keyRecordRedisKey(key.keyHash))) ?? 'null') as unknown;
  expect(keyRecordSchema.parse(record)).toMatchObject({ quota_exhausted: true, revision: 2 });
  await spend();
  expect(await row()).toEqual([{ spent: '168', revision: 2 }]);
  expect(await query('SELECT * FROM billing.key_change_outbox')).toEqual([]);
  expect(listener.heard).toEqual([{ key_hash: key.keyHash }]);
  listener.close();
});

test('the newest use of a key is remembered, in whatever order events come', async () => {
  const { accountId } = ground.first;
  const key = await addKey(ground.database, { accountId });
  const usedAt = (occurred_at: string) => posting({ key_id: key.id, occurred_at });
  await postBatch(
    ground.database,
    changes,
    [usedAt('2026-11-21T10:00:02.000Z'), usedAt('2026-11-21T10:00:01.000Z')],
    [],
  );
  await postBatch(ground.database, changes, [usedAt('2026-11-21T09:00:00.000Z')], []);
  expect(await query(`SELECT last_used_at FROM billing.api_key WHERE id = '${key.id}'`)).toEqual([
    { last_used_at: new Date('2026-11-21T10:00:02.000Z') },
  ]);
});
