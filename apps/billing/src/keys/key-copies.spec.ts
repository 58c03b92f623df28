import {
  KEY_COPY_TTL_MS,
  type KeyRecord,
  keyRecordRedisKey,
  keyRecordSchema,
  MESSAGE,
} from '@tollgate/contracts';
import { waitFor, TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { addKey } from '../../testing/keys.ts';
import { createKeyCopies, type KeyCopies } from './key-copies.ts';
import { lookUpKey } from './key-lookup.ts';

let pair: Pair;
let copies: KeyCopies;
beforeAll(async () => {
  pair = await startPair();
  copies = createKeyCopies(pair.environment.redis);
});
afterAll(() => pair.stop());

async function makeRecord(): Promise<KeyRecord> {
  const { keyHash } = await addKey(pair.environment.database, {
    accountId: pair.environment.first.accountId,
  });
  const record = await lookUpKey(pair.environment.database, keyHash);
  if (!record) throw new Error('there is no such key');
  return record;
}
const disabled = (record: KeyRecord): KeyRecord => ({
  ...record,
  status: 'disabled',
  revision: record.revision + 1,
});
const copyOf = async ({ key_hash }: KeyRecord): Promise<KeyRecord | null | undefined> => {
  const text = await pair.environment.redis.get(keyRecordRedisKey(key_hash));
  return text === null ? undefined : keyRecordSchema.nullable().parse(JSON.parse(text));
};

test('a key that is looked up has a copy in Redis, and one that is not there has none', async () => {
  const record = await makeRecord();
  const billing = createRequestReplyClient(
    `tcp://127.0.0.1:${pair.billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const lookUp = (key_hash: string) =>
    billing.request(MESSAGE.keyLookup, { key_hash }, keyRecordSchema.nullable());
  expect(await copyOf(record)).toBeUndefined();
  await lookUp(record.key_hash);
  await waitFor(async () => (await copyOf(record)) !== undefined, 'the copy');
  expect(await copyOf(record)).toEqual(record);
  const unknown = 'ab'.repeat(32);
  expect(await lookUp(unknown)).toBeNull();
  expect(await pair.environment.redis.exists(keyRecordRedisKey(unknown))).toBe(0);
  billing.close();
});

test('a look-up that began before a change does not stand over it', async () => {
  const record = await makeRecord();
  await copies.changed(record.key_hash, disabled(record));
  await copies.found(record.key_hash, record);
  expect(await copyOf(record)).toEqual(disabled(record));
});

test('a look-up that began before a key was deleted does not bring it back', async () => {
  const record = await makeRecord();
  await copies.changed(record.key_hash, null);
  await copies.found(record.key_hash, record);
  expect(await copyOf(record)).toBeNull();
});

test('a change stands over what was looked up before', async () => {
  const record = await makeRecord();
  await copies.found(record.key_hash, record);
  await copies.changed(record.key_hash, disabled(record));
  expect(await copyOf(record)).toEqual(disabled(record));
});

test('a look-up that finds what the copy says makes it young again, another one does not', async () => {
  const record = await makeRecord();
  const name = keyRecordRedisKey(record.key_hash);
  await copies.found(record.key_hash, record);
  await pair.environment.redis.pexpire(name, 60_000);
  await copies.found(record.key_hash, disabled(record));
  expect(await pair.environment.redis.pttl(name)).toBeLessThanOrEqual(60_000);
  await copies.found(record.key_hash, record);
  expect(await pair.environment.redis.pttl(name)).toBeGreaterThan(KEY_COPY_TTL_MS - 60_000);
});
