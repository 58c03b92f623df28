import { readHomeSearch, toSummaryParams } from './search.ts';

test.each([
  [{}, {}],
  [
    { range: '24h', by: 'key', measure: 'tokens' },
    { range: '24h', by: 'key', measure: 'tokens' },
  ],
  [{ range: '7d', by: 'model', measure: 'cost' }, {}],
  [{ range: '1y', by: 'vendor', measure: 7, other: 'x' }, {}],
  [{ range: 'toString', by: ['key'] }, {}],
])('of the address %j the page takes %j', (search, taken) => {
  expect(readHomeSearch(search)).toEqual(taken);
});

test.each([
  [{}, { hours: 145, bucket: 'day', by: 'model' }],
  [{ range: '24h' as const }, { hours: 24, bucket: 'hour', by: 'model' }],
  [
    { range: '30d' as const, by: 'key' as const },
    { hours: 697, bucket: 'day', by: 'key' },
  ],
])('%j asks for %j: as many buckets as it says', (search, params) => {
  expect(toSummaryParams(search)).toEqual(params);
});
