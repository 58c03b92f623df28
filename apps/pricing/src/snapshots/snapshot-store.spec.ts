import { createHash } from 'node:crypto';
import {
  canonicalJson,
  catalogueSchema,
  hashSnapshot,
  priceSnapshotSchema,
  unverifiedSnapshotSchema,
  verifySnapshot,
} from '@tollgate/catalogue';
import { CURRENT_SNAPSHOT_REDIS_KEY, EVENT } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { smallCatalogue } from '../../testing/catalogues.ts';
import {
  type TestEnvironment,
  openRedis,
  silent,
  startTestEnvironment,
} from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { createDataSource } from '../database/data-source.ts';
import { PublishError } from './publication.ts';
import { SnapshotStore, toPublished } from './snapshot-store.ts';

const by = { actor: 'owner@pricing.example', reason: 'test' };
const replace: CatalogueChange[] = [{ op: 'replace', catalogue: smallCatalogue() }];
const vendor = (name: string): CatalogueChange[] => [
  {
    op: 'put',
    section: 'vendors',
    entry: { name, description: '', icon: '' },
  },
];

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

test('nothing is current before the first publication', async () => {
  expect(await environment.store.current()).toBeNull();
});

test('twenty publishers at once, in two replicas, make versions without gaps that hold every change', async () => {
  const otherDatabase = await createDataSource(environment.databaseUrl).initialize();
  const other = new SnapshotStore(otherDatabase, environment.redis, silent);
  // As a replica does when it starts: from here on it knows that nothing was lost.
  await other.announceCurrent();
  const names = Array.from({ length: 20 }, (_, index) => `vendor-${index}`);
  const made = await Promise.all(
    names.map((name, index) => (index % 2 === 0 ? environment.store : other).publish(vendor(name), by)),
  );
  await otherDatabase.destroy();

  const versions = made.map(({ snapshot }) => snapshot.version).sort((a, b) => a - b);
  expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  const current = await environment.store.current();
  expect(current?.version).toBe(20);
  expect(current?.catalogue.vendors.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(current?.catalogue.vendors).toHaveLength(20);
});

test('what is published goes on top of what the database has, not of what is held by its number', async () => {
  await environment.store.publish(vendor('held'), by);
  const { database } = environment;
  const other = catalogueSchema.parse(smallCatalogue());
  await database.query('ALTER TABLE pricing.snapshot DISABLE TRIGGER USER');
  const written = [canonicalJson(other), hashSnapshot(other)];
  await database.query('UPDATE pricing.snapshot SET catalogue = $1, hash = $2', written);
  await environment.redis.del(CURRENT_SNAPSHOT_REDIS_KEY);
  const { snapshot } = await environment.store.publish(vendor('new'), by);
  expect(snapshot.catalogue.vendors.map(({ name }) => name)).toEqual([
    ...other.vendors.map(({ name }) => name),
    'new',
  ]);
});

test('the same catalogue again makes no version', async () => {
  const first = await environment.store.publish(replace, by);
  const second = await environment.store.publish(replace, by);
  expect(first.changed).toBe(true);
  expect(second).toEqual({ snapshot: first.snapshot, changed: false });
  expect(await environment.store.list(undefined, 10)).toHaveLength(1);
});

test('a version from before there was a kind of token is read with its price, and told as it was published', async () => {
  const { snapshot } = await environment.store.publish(replace, by);
  const former = structuredClone(snapshot.catalogue);
  for (const { prices } of former.models) {
    Reflect.deleteProperty(prices, 'cache_read_audio');
    Reflect.deleteProperty(prices, 'cache_read_image');
  }
  await environment.database.query(
    `INSERT INTO pricing.snapshot (version, hash, published_at, actor, reason, catalogue)
     SELECT 2, $1, now(), actor, reason, $2 FROM pricing.snapshot`,
    [hashSnapshot(former), canonicalJson(former)],
  );
  const read = await environment.store.byVersion(2);
  expect(read?.catalogue).toEqual(snapshot.catalogue);
  expect(read && toPublished(read)).toMatchObject({ catalogue: former });
  await environment.store.announceCurrent();
  const announced = unverifiedSnapshotSchema.parse(
    JSON.parse((await environment.redis.get(CURRENT_SNAPSHOT_REDIS_KEY)) ?? 'null'),
  );
  expect(verifySnapshot(announced)).toEqual(read);
});

test('the hash is over the catalogue that is stored, read back or not', async () => {
  const { snapshot } = await environment.store.publish(replace, by);
  const again = await new SnapshotStore(environment.database, environment.redis, silent).byVersion(1);
  expect(again).toEqual(snapshot);
  const [row]: { catalogue: string; hash: string }[] = await environment.database.query(
    'SELECT catalogue, hash FROM pricing.snapshot',
  );
  expect(row?.catalogue).toBe(canonicalJson(smallCatalogue()));
  expect(row?.hash).toBe(
    createHash('sha256')
      .update(row?.catalogue ?? '')
      .digest('hex'),
  );
  expect(snapshot.hash).toBe(row?.hash);
});

test('a hash that was published twice names its first version, for good', async () => {
  const first = await environment.store.publish(replace, by);
  await environment.store.publish(vendor('passing'), by);
  const third = await environment.store.publish(replace, by);
  expect([first.snapshot.version, third.snapshot.version]).toEqual([1, 3]);
  expect((await environment.store.byHash(first.snapshot.hash))?.version).toBe(1);
});

test('a change that expects another newest version is a conflict and makes no version', async () => {
  await environment.store.publish(replace, { ...by, expected: 0 });
  const stale = environment.store.publish(vendor('late'), { ...by, expected: 0 });
  await expect(stale).rejects.toThrow(PublishError);
  await expect(stale).rejects.toMatchObject({ kind: 'conflict' });
  await environment.store.publish(vendor('in-time'), { ...by, expected: 1 });
  expect((await environment.store.current())?.version).toBe(2);
});

test.each<[string, CatalogueChange, RegExp]>([
  [
    'a reference to what is not there',
    { op: 'replace', catalogue: { ...smallCatalogue(), vendors: [] } },
    /no vendor "acme".*no vendor "umbra"/,
  ],
  [
    'a name that is none',
    { op: 'put', section: 'vendors', entry: { name: 'with blank', description: '', icon: '' } },
    /vendors\.0\.name: letters, digits/,
  ],
])('%s is refused as invalid, with the place', async (_what, change, message) => {
  const refused = environment.store.publish([change], by);
  await expect(refused).rejects.toMatchObject({ kind: 'invalid' });
  await expect(refused).rejects.toThrow(message);
  expect(await environment.store.current()).toBeNull();
});

test.each([
  ['UPDATE', `UPDATE pricing.snapshot SET reason = 'another'`],
  ['DELETE', 'DELETE FROM pricing.snapshot'],
  ['TRUNCATE', 'TRUNCATE pricing.snapshot CASCADE'],
])('the database refuses %s of a published snapshot', async (_what, statement) => {
  const { snapshot } = await environment.store.publish(replace, by);
  await expect(environment.database.query(statement)).rejects.toThrow(
    'a published snapshot is never changed',
  );
  expect(await environment.store.list(undefined, 10)).toMatchObject([
    { version: 1, hash: snapshot.hash, actor: by.actor, reason: by.reason },
  ]);
});

test('a publication is written to Redis and told to every listener', async () => {
  const listener = await openRedis(environment.redisServer.url);
  const heard: unknown[] = [];
  listener.on('message', (channel: string, message: string) => heard.push([channel, JSON.parse(message)]));
  await listener.subscribe(EVENT.snapshotPublished);
  const { snapshot } = await environment.store.publish(replace, by);
  await waitFor(() => heard.length > 0, 'the event');
  listener.disconnect();

  expect(heard).toEqual([[EVENT.snapshotPublished, { version: 1, hash: snapshot.hash }]]);
  const held = await environment.redis.get(CURRENT_SNAPSHOT_REDIS_KEY);
  expect(priceSnapshotSchema.parse(JSON.parse(held ?? 'null'))).toEqual(snapshot);
});

test('a publication succeeds while Redis is away', async () => {
  await environment.redisServer.stop();
  const { changed } = await environment.store.publish(replace, by);
  expect(changed).toBe(true);
  expect((await environment.store.current())?.catalogue).toEqual(smallCatalogue());
  await environment.redisServer.restart();
  await waitFor(() => environment.redis.status === 'ready', 'the connection to Redis');
});

test('versions are listed newest first, page by page', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await environment.store.publish(vendor(name), { ...by, reason: name });
  const page = async (before?: number) =>
    (await environment.store.list(before, 2)).map(({ version, reason }) => [version, reason]);
  expect(await page()).toEqual([
    [5, 'e'],
    [4, 'd'],
  ]);
  expect(await page(4)).toEqual([
    [3, 'c'],
    [2, 'b'],
  ]);
  expect(await page(2)).toEqual([[1, 'a']]);
});

test('the version that was in force is the newest of its time', async () => {
  expect(await environment.store.inForceAt(new Date())).toBeNull();
  const published: Date[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { snapshot } = await environment.store.publish(vendor(name), by);
    published.push(new Date(snapshot.published_at));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const versionAt = async (time: Date) => (await environment.store.inForceAt(time))?.version;
  for (const [index, time] of published.entries()) {
    expect(await versionAt(time)).toBe(index + 1);
    expect(await versionAt(new Date(time.getTime() - 1))).toBe(index === 0 ? undefined : index);
  }
  expect(await versionAt(new Date('2999-01-01'))).toBe(3);
});

test('a version is never older than the one before, whatever the clock of its publisher says', async () => {
  await environment.store.publish(replace, by);
  await environment.database.query(
    `INSERT INTO pricing.snapshot SELECT 2, repeat('0', 64), '2999-01-01Z', actor, reason, catalogue FROM pricing.snapshot`,
  );
  const { snapshot } = await environment.store.publish(vendor('late'), by);
  expect(snapshot).toMatchObject({ version: 3, published_at: '2999-01-01T00:00:00.000Z' });
});
