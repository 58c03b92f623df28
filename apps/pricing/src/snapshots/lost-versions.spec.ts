// The database is put back to before published versions, as a restore does: the tables are copied and put back.
import { CURRENT_SNAPSHOT_REDIS_KEY, publishedSnapshotRedisKey } from '@tollgate/contracts';
import { createTestDatabase } from '@tollgate/harness';
import { smallCatalogue } from '../../testing/catalogues.ts';
import {
  migrateAlone,
  silent,
  startTestEnvironment,
  type TestEnvironment,
} from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { createDataSource } from '../database/data-source.ts';
import { SnapshotStore } from './snapshot-store.ts';

const by = { actor: 'owner@pricing.example', reason: 'test' };
const first: CatalogueChange[] = [{ op: 'replace', catalogue: smallCatalogue() }];
const vendor = (name: string): CatalogueChange[] => [
  { op: 'put', section: 'vendors', entry: { name, description: '', icon: '' } },
];

let environment: TestEnvironment;
/** The store on a database that was put back to version 1, beside the same Redis. */
let restored: SnapshotStore;
let undo: () => Promise<void>;
beforeEach(async () => {
  environment = await startTestEnvironment();
  await environment.store.publish(first, by);
  const { url, drop } = await createTestDatabase(migrateAlone);
  const database = await createDataSource(url).initialize();
  const rows = await environment.database.query('SELECT * FROM pricing.snapshot');
  for (const { version, hash, published_at, actor, reason, catalogue } of rows)
    await database.query(
      'INSERT INTO pricing.snapshot (version, hash, published_at, actor, reason, catalogue) VALUES ($1, $2, $3, $4, $5, $6)',
      [version, hash, published_at, actor, reason, catalogue],
    );
  restored = new SnapshotStore(database, environment.redis, silent);
  undo = async () => {
    await database.destroy();
    await drop();
    await environment.stop();
  };
});
afterEach(() => undo());

const versions = async () => (await restored.list(undefined, 100)).map(({ version }) => version).reverse();
async function publishThree(): Promise<string[]> {
  const made = [];
  for (const name of ['second', 'third', 'fourth'])
    made.push(await environment.store.publish(vendor(name), by));
  return made.map(({ snapshot }) => snapshot.hash);
}

test('versions that it lost are written down as Redis has them, and what it says is published above them', async () => {
  const one = await restored.current();
  const hashes = await publishThree();
  await restored.announceCurrent();
  expect(await versions()).toEqual([1, 2, 3, 4, 10_004]);
  expect(
    await Promise.all([2, 3, 4].map(async (version) => (await restored.byVersion(version))?.hash)),
  ).toEqual(hashes);
  expect(await restored.current()).toMatchObject({ version: 10_004, hash: one?.hash });
  expect(JSON.parse((await environment.redis.get(CURRENT_SNAPSHOT_REDIS_KEY)) ?? '')).toMatchObject({
    version: 10_004,
  });
  await restored.announceCurrent();
  expect(await versions()).toEqual([1, 2, 3, 4, 10_004]);
});

test('a number whose prices Redis has not is not given again', async () => {
  await publishThree();
  await environment.redis.del(publishedSnapshotRedisKey(2), publishedSnapshotRedisKey(3));
  await restored.announceCurrent();
  expect(await versions()).toEqual([1, 4, 10_004]);
});

test('a copy that is not what was published is no version, and its number is not given again', async () => {
  const [second = '', third = ''] = await publishThree();
  const copy = (await environment.redis.get(publishedSnapshotRedisKey(2))) ?? '';
  await environment.redis.set(publishedSnapshotRedisKey(2), copy.replace('"second"', '"changed"'));
  await restored.announceCurrent();
  expect(await versions()).toEqual([1, 3, 4, 10_004]);
  expect(await restored.named(2, second)).toBeNull();
  expect((await restored.named(3, third))?.version).toBe(3);
});

test('the first publication after it comes above what was lost, though nobody has announced anything', async () => {
  await publishThree();
  const { snapshot } = await restored.publish(vendor('other'), by);
  expect(snapshot.version).toBe(10_005);
});

test('where Redis was lost as well, no number is given again, and what it knew under one is not answered', async () => {
  const [second = ''] = await publishThree();
  await environment.redis.flushall();
  const { snapshot } = await restored.publish(vendor('other'), by);
  expect(await versions()).toEqual([1, 10_001, 10_002]);
  expect(snapshot.version).toBe(10_002);
  expect(await restored.byVersion(2)).toBeNull();
  expect(await restored.named(2, second)).toBeNull();
});

test('a due draft that is published first goes above what was lost, too', async () => {
  await publishThree();
  await environment.redis.flushall();
  const { snapshot } = await restored.inTurn((_manager, append) => append(vendor('other'), by));
  expect(snapshot.version).toBe(10_002);
});

test('a change that is refused after a restore leaves the next one above what was lost', async () => {
  await publishThree();
  await environment.redis.flushall();
  await expect(restored.publish(vendor('other'), { ...by, expected: 7 })).rejects.toThrow('is the newest');
  expect((await restored.publish(vendor('other'), by)).snapshot.version).toBe(10_002);
});

test('numbers go up by one where Redis forgets all or is away, and the database is the one of before', async () => {
  await restored.announceCurrent();
  await environment.redis.flushall();
  expect((await restored.publish(vendor('second'), by)).snapshot.version).toBe(2);
  await environment.redisServer.stop();
  expect((await restored.publish(vendor('third'), by)).snapshot.version).toBe(3);
});

test('where Redis is away and nothing was compared yet, the next number is above what can be lost, once', async () => {
  await publishThree();
  await environment.redisServer.stop();
  expect((await restored.publish(vendor('other'), by)).snapshot.version).toBe(10_002);
  expect((await restored.publish(vendor('another'), by)).snapshot.version).toBe(10_003);
});
