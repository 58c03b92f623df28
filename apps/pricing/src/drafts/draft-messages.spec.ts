import { hashSnapshot } from '@tollgate/catalogue';
import { type DraftAnswer, draftAnswerSchema, MESSAGE } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient, type RequestReplyClient } from '@tollgate/platform';
import { smallCatalogue } from '../../testing/catalogues.ts';
import {
  type TestEnvironment,
  type RunningPricing,
  startTestEnvironment,
  startPricingOn,
} from '../../testing/pricing-service.ts';
import { applyChanges, type CatalogueChange } from '../catalogue/change.ts';
import { DraftStore } from './draft-store.ts';
import { publishDraft } from './publish-drafts.ts';

const actor = 'owner@pricing.example';
let environment: TestEnvironment;
let pricing: RunningPricing;
let client: RequestReplyClient;
let drafts: DraftStore;
beforeAll(async () => {
  environment = await startTestEnvironment();
  pricing = await startPricingOn(environment);
  client = createRequestReplyClient(
    `tcp://127.0.0.1:${pricing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  drafts = new DraftStore(environment.database);
  await environment.store.publish([{ op: 'replace', catalogue: smallCatalogue() }], {
    actor,
    reason: 'test',
  });
});
afterAll(async () => {
  client.close();
  await pricing.stop();
  await environment.stop();
});

const ask = (name: string): Promise<DraftAnswer | null> =>
  client.request(MESSAGE.draftGet, { name }, draftAnswerSchema.nullable());
const write = (name: string, ...changes: CatalogueChange[]) =>
  drafts.write(name, { reason: 'because', changesOn: () => changes }, { actor });

test('nothing is known of a draft that is not there', async () => {
  expect(await ask('nothing')).toBeNull();
});

test('a draft is answered as the snapshot that it would be, without a version, and nothing is published', async () => {
  const changes: CatalogueChange[] = [
    { op: 'delete', section: 'models', name: 'umbra-free' },
    { op: 'limits', limits: { client: { requests_per_minute: 5 }, key: {}, route: {} } },
  ];
  await write('prices', ...changes);
  const catalogue = applyChanges(smallCatalogue(), changes);
  expect(await ask('prices')).toMatchObject({
    snapshot: { version: 0, hash: hashSnapshot(catalogue), catalogue },
    faults: [],
  });
  expect((await environment.store.current())?.version).toBe(1);
});

test('a draft with faults is answered with these', async () => {
  await write('broken', { op: 'delete', section: 'vendors', name: 'umbra' });
  expect(await ask('broken')).toEqual({
    snapshot: null,
    faults: ['models.umbra-free.vendor: there is no vendor "umbra"'],
  });
});

test('a published draft stays what it was published as', async () => {
  await write('first', {
    op: 'put',
    section: 'vendors',
    entry: { name: 'v', description: 'as published', icon: '' },
  });
  const { catalogue, hash } = await publishDraft(environment.store, 'first', { actor });
  await environment.store.publish([{ op: 'delete', section: 'vendors', name: 'v' }], {
    actor,
    reason: 'later',
  });
  expect(await ask('first')).toMatchObject({ snapshot: { version: 0, hash, catalogue }, faults: [] });
});
