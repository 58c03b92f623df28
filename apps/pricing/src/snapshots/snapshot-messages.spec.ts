import { type PriceSnapshot, priceSnapshotSchema } from '@tollgate/catalogue';
import { CURRENT_SNAPSHOT_REDIS_KEY, MESSAGE } from '@tollgate/contracts';
import { startRedis, waitFor, TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient, type RequestReplyClient } from '@tollgate/platform';
import { smallCatalogue } from '../../testing/catalogues.ts';
import {
  type TestEnvironment,
  openRedis,
  type RunningPricing,
  silent,
  startTestEnvironment,
  startPricingOn,
} from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { SnapshotStore } from './snapshot-store.ts';

const by = { actor: 'owner@pricing.example', reason: 'test' };

let environment: TestEnvironment;
let pricing: RunningPricing;
let client: RequestReplyClient;
beforeAll(async () => {
  environment = await startTestEnvironment();
  pricing = await startPricingOn(environment);
  client = createRequestReplyClient(
    `tcp://127.0.0.1:${pricing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
});
afterAll(async () => {
  client.close();
  await pricing.stop();
  await environment.stop();
});

const ask = (version: number | 'current'): Promise<PriceSnapshot | null> =>
  client.request(MESSAGE.snapshotGet, { version }, priceSnapshotSchema.nullable());

test('other services get null before anything is published, then any version by its number', async () => {
  expect(await ask('current')).toBeNull();
  const { snapshot: first } = await environment.store.publish(
    [{ op: 'replace', catalogue: smallCatalogue() }],
    by,
  );
  const { snapshot: second } = await environment.store.publish(
    [{ op: 'delete', section: 'pools', name: 'main' }],
    by,
  );
  expect(await ask('current')).toEqual(second);
  expect(await ask(1)).toEqual(first);
  expect(await ask(2)).toEqual(second);
  expect(await ask(3)).toBeNull();
});

test('a question of another shape is refused', async () => {
  await expect(
    client.request(MESSAGE.snapshotGet, { version: 'newest' }, priceSnapshotSchema.nullable()),
  ).rejects.toMatchObject({ status: 'error' });
});

const limit = (requests_per_minute: number): CatalogueChange[] => [
  {
    op: 'limits',
    limits: { client: { requests_per_minute }, key: {}, route: {} },
  },
];
const announced = ({ version }: PriceSnapshot) =>
  waitFor(async () => {
    if (environment.redis.status !== 'ready') return false;
    const held = await environment.redis.get(CURRENT_SNAPSHOT_REDIS_KEY);
    return held !== null && priceSnapshotSchema.parse(JSON.parse(held)).version === version;
  }, `version ${version} in Redis`);

test('what is published while Redis is away is in Redis once it is back', async () => {
  await environment.redisServer.stop();
  const { snapshot } = await environment.store.publish(limit(7), by);
  await environment.redisServer.restart();
  await announced(snapshot);
});

test('a start brings Redis up to date with what was published before', async () => {
  const otherServer = await startRedis();
  const otherRedis = await openRedis(otherServer.url);
  const { snapshot } = await new SnapshotStore(environment.database, otherRedis, silent).publish(
    limit(8),
    by,
  );
  otherRedis.disconnect();
  await otherServer.stop();

  const second = await startPricingOn(environment);
  await announced(snapshot);
  await second.stop();
});
