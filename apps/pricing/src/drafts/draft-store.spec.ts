import { HttpException } from '@nestjs/common';
import { type TestEnvironment, startTestEnvironment } from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { DraftStore } from './draft-store.ts';

const actor = 'owner@pricing.example';
const vendor = (name: string): CatalogueChange => ({
  op: 'put',
  section: 'vendors',
  entry: { name, description: '', icon: '' },
});
const saying = (...changes: CatalogueChange[]) => ({ reason: 'because', changesOn: () => changes });

/** What somebody is told whose request is refused. */
const refusal = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => undefined,
    (error: unknown) => (error instanceof HttpException ? [error.getStatus(), messageOf(error)] : error),
  );
const messageOf = (error: HttpException) =>
  (error.getResponse() as { error: { message: string } }).error.message;

let environment: TestEnvironment;
let drafts: DraftStore;
beforeAll(async () => {
  environment = await startTestEnvironment();
  drafts = new DraftStore(environment.database);
});
afterAll(() => environment.stop());
beforeEach(() => environment.database.query('DELETE FROM pricing.draft'));

test('a draft is what was written last, and its revision counts what was different', async () => {
  await drafts.write('prices', saying(vendor('a')), { actor });
  await drafts.write('prices', saying(vendor('a'), vendor('b')), { actor: 'other@pricing.example' });
  await drafts.write('prices', saying(vendor('a'), vendor('b')), { actor });
  expect(await drafts.find('prices')).toMatchObject({
    changes: [vendor('a'), vendor('b')],
    revision: 2,
    status: 'open',
    actor: 'other@pricing.example',
  });
});

test('characters that jsonb refuses are kept', async () => {
  const change: CatalogueChange = {
    op: 'put',
    section: 'vendors',
    entry: { name: 'a', description: 'with \u0000 in it', icon: '' },
  };
  await drafts.write('prices', saying(change), { actor });
  expect((await drafts.find('prices'))?.changes).toEqual([change]);
});

test('of eight writers who expect that there is no draft yet one makes it', async () => {
  const refusals = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      refusal(drafts.write('prices', saying(vendor(`v${index}`)), { actor, expected: 0 })),
    ),
  );
  expect(refusals.filter((each) => each === undefined)).toHaveLength(1);
  expect(refusals.filter((each) => Array.isArray(each) && each[0] === 412)).toHaveLength(7);
  expect((await drafts.find('prices'))?.revision).toBe(1);
});

test('a scheduled draft is neither changed nor removed until it is taken off the schedule', async () => {
  await drafts.write('prices', saying(vendor('a')), { actor });
  const day = new Date('2999-01-01T00:00:00Z');
  await drafts.schedule('prices', 1, day, actor);
  expect(await refusal(drafts.write('prices', saying(vendor('b')), { actor }))).toEqual([
    409,
    expect.stringContaining('is scheduled'),
  ]);
  expect(await refusal(drafts.remove('prices'))).toEqual([409, expect.stringContaining('is scheduled')]);
  expect(await refusal(drafts.schedule('prices', 1, new Date('2999-02-01'), actor))).toEqual([
    409,
    expect.stringContaining('is scheduled'),
  ]);
  expect(await drafts.schedule('prices', 1, day, actor)).toMatchObject({
    status: 'scheduled',
    effectiveAt: day,
  });
  expect(await drafts.unschedule('prices', actor)).toMatchObject({ status: 'open', effectiveAt: null });
  await drafts.write('prices', saying(vendor('b')), { actor });
  await drafts.remove('prices');
  expect(await drafts.find('prices')).toBeNull();
});

test('a draft that was changed since it was looked at is not scheduled', async () => {
  await drafts.write('prices', saying(vendor('a')), { actor });
  await drafts.write('prices', saying(vendor('b')), { actor });
  expect(await refusal(drafts.schedule('prices', 1, new Date('2999-01-01'), actor))).toEqual([
    409,
    expect.stringContaining('changed meanwhile'),
  ]);
});

test('what waits before a day is found in the order in which it will be published', async () => {
  for (const [name, day] of [
    ['late', '2999-03-01'],
    ['first', '2999-01-01'],
    ['b', '2999-02-01'],
    ['a', '2999-02-01'],
  ] as const) {
    await drafts.write(name, saying(vendor(name)), { actor });
    await drafts.schedule(name, 1, new Date(day), actor);
  }
  await drafts.write('open', saying(), { actor });
  const before = async (day: string, name: string) =>
    (await drafts.scheduledBefore(new Date(day), name)).map((draft) => draft.name);
  expect(await before('2999-02-01', 'b')).toEqual(['first', 'a']);
  expect(await before('2999-12-31', 'x')).toEqual(['first', 'a', 'b', 'late']);
});

test('drafts are listed by name, page by page and by status', async () => {
  for (const name of ['c', 'a', 'd', 'b']) await drafts.write(name, saying(vendor(name)), { actor });
  await drafts.schedule('d', 1, new Date('2999-01-01'), actor);
  const names = async (filter: Parameters<DraftStore['list']>[0], limit = 2) =>
    (await drafts.list(filter, limit)).map(({ name }) => name);
  expect(await names({})).toEqual(['a', 'b']);
  expect(await names({ after: 'b' })).toEqual(['c', 'd']);
  expect(await names({ status: 'scheduled' })).toEqual(['d']);
});
