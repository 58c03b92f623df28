import { PassThrough } from 'node:stream';
import { waitFor } from '@tollgate/harness';
import { createLogger } from '@tollgate/platform';
import { makeGroup, makeMember, makePool as poolWith, smallCatalogue } from '../../testing/catalogues.ts';
import {
  type TestEnvironment,
  openRedis,
  silent,
  startTestEnvironment,
} from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { createDataSource } from '../database/data-source.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { DraftStore } from './draft-store.ts';
import { startDueDrafts } from './due-drafts.ts';
import { publishDraft, publishNextDue } from './publish-drafts.ts';

const actor = 'owner@pricing.example';
const ratio = (group: string, value: string): CatalogueChange => ({
  op: 'put',
  section: 'groups',
  entry: makeGroup(group, { ratio: value }),
});

let environment: TestEnvironment;
let drafts: DraftStore;
beforeEach(async () => {
  environment = await startTestEnvironment();
  drafts = new DraftStore(environment.database);
  await environment.store.publish([{ op: 'replace', catalogue: smallCatalogue() }], {
    actor,
    reason: 'test',
  });
});
afterEach(() => environment.stop());

const draft = (name: string, ...changes: CatalogueChange[]) =>
  drafts.write(name, { reason: 'because', changesOn: () => changes }, { actor });
async function dueDraft(name: string, at: string, ...changes: CatalogueChange[]): Promise<void> {
  await draft(name, ...changes);
  await drafts.schedule(name, 1, new Date(at), actor);
}
const ratios = async () =>
  Object.fromEntries(
    (await environment.store.current())?.catalogue.groups.map((each) => [each.name, each.ratio]) ?? [],
  );

test('two replicas publish every due draft once, in the order of their days, and leave the others', async () => {
  const otherDatabase = await createDataSource(environment.databaseUrl).initialize();
  const otherRedis = await openRedis(environment.redisServer.url);
  const other = new SnapshotStore(otherDatabase, otherRedis, silent);
  for (let day = 9; day >= 1; day -= 1)
    await dueDraft(`day-${day}`, `2020-01-0${day}T00:00:00Z`, ratio('default', `0.${day}`));
  await dueDraft('far', '2999-01-01T00:00:00Z', ratio('default', '9'));

  const workers = [
    startDueDrafts(environment.database, environment.store, silent),
    startDueDrafts(otherDatabase, other, silent),
    startDueDrafts(environment.database, environment.store, silent),
  ];
  await waitFor(
    async () => (await drafts.find('day-9'))?.status === 'published',
    'the last draft that is due',
  );
  await Promise.all(workers.map((worker) => worker.close()));
  otherRedis.disconnect();
  await otherDatabase.destroy();

  const versions = await environment.store.list(undefined, 100);
  expect(versions.map(({ version, reason }) => [version, reason]).reverse()).toEqual([
    [1, 'test'],
    ...Array.from({ length: 9 }, (_, index) => [index + 2, `draft day-${index + 1}: because`]),
  ]);
  expect(await ratios()).toMatchObject({ default: '0.9' });
  expect(await drafts.find('day-3')).toMatchObject({ status: 'published', version: 4 });
  expect(await drafts.find('far')).toMatchObject({ status: 'scheduled', version: null });
});

test('a due draft is made on top of what is current then, not of what it was written on', async () => {
  await dueDraft('partner', '2020-01-01', ratio('partner', '0.5'));
  await environment.store.publish([ratio('default', '3')], { actor, reason: 'meanwhile' });
  expect(await publishNextDue(environment.store, silent)).toBe(true);
  expect(await ratios()).toEqual({ default: '3', partner: '0.5' });
  expect(await publishNextDue(environment.store, silent)).toBe(false);
});

test('one that cannot be published fails with the reason, is logged as an error, and holds nothing up', async () => {
  const lines: string[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  await dueDraft('broken', '2020-01-01', {
    op: 'put',
    section: 'groups',
    entry: makeGroup('g', { models: ['gone'] }),
  });
  await dueDraft('sound', '2020-01-02', ratio('default', '2'));
  const worker = startDueDrafts(
    environment.database,
    environment.store,
    createLogger('test', 'error', destination),
  );
  await waitFor(async () => (await drafts.find('sound'))?.status === 'published', 'the sound draft');
  await worker.close();

  const failure = 'groups.g.models: there is no model "gone"';
  expect(await drafts.find('broken')).toMatchObject({ status: 'failed', failure, version: null });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { draft: 'broken', reason: failure },
  ]);
  expect(await ratios()).toMatchObject({ default: '2' });
  await draft('broken', ratio('g', '1'));
  expect(await drafts.find('broken')).toMatchObject({ status: 'open', failure: null, revision: 2 });
});

test('a failed draft that is written again as it was is open again', async () => {
  const change: CatalogueChange = { op: 'put-before', pool: poolOf('p'), before: 'gone' };
  await dueDraft('broken', '2020-01-01', change);
  await publishNextDue(environment.store, silent);
  expect(await drafts.find('broken')).toMatchObject({ status: 'failed' });
  await draft('broken', change);
  expect(await drafts.find('broken')).toMatchObject({ status: 'open', failure: null });
});

test('ten who publish one draft at once make one version', async () => {
  await draft('prices', ratio('default', '2'));
  const made = await Promise.all(
    Array.from({ length: 10 }, () => publishDraft(environment.store, 'prices', { actor })),
  );
  expect(new Set(made.map(({ version }) => version))).toEqual(new Set([2]));
  expect((await environment.store.current())?.version).toBe(2);
});

test('a draft that changes nothing is published as the version that is current', async () => {
  await draft('nothing');
  expect((await publishDraft(environment.store, 'nothing', { actor })).version).toBe(1);
  expect(await drafts.find('nothing')).toMatchObject({ status: 'published', version: 1 });
});

test('a scheduled draft that is published by hand is not published again on its day', async () => {
  await dueDraft('prices', '2020-01-01', ratio('default', '2'));
  await publishDraft(environment.store, 'prices', { actor });
  expect(await publishNextDue(environment.store, silent)).toBe(false);
  expect((await environment.store.current())?.version).toBe(2);
});

const poolOf = (name: string) => poolWith(name, { members: [makeMember('east')] });
