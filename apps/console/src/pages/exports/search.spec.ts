import { toPage, readExportsSearch } from './search.ts';

const SCHEDULE = '0198f1c2-7d1e-7000-8000-000000000001';

test.each([
  [{}, {}],
  [
    { page: 3, schedule: SCHEDULE, create: 'schedule' },
    { page: 3, schedule: SCHEDULE, create: 'schedule' },
  ],
  [{ page: 1, schedule: 'x', create: true }, {}],
  [{ page: 0, create: 'export' }, { create: 'export' }],
])('the address %j means %j', (search, meaning) => {
  expect(readExportsSearch(search)).toEqual(meaning);
});

test('pages follow one another without a gap', () => {
  expect([toPage({}), toPage({ page: 2 })].map(({ offset }) => offset)).toEqual([0, 20]);
  expect(toPage({ schedule: SCHEDULE })).toEqual({ limit: 20, offset: 0, schedule_id: SCHEDULE });
});
