import { isOver, readPeriodsSearch } from './search.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';

test.each([
  [{}, {}],
  [{ account: ACCOUNT }, { account: ACCOUNT }],
  [{ account: 'Acme' }, {}],
  [{ close: true }, { close: true }],
  [{ close: 'yes' }, {}],
])('the address %j means %j', (search, meaning) => {
  expect(readPeriodsSearch(search)).toEqual(meaning);
});

test('a month is over at its end and not before', () => {
  const month = { to: '2026-12-01T00:00:00.000Z' };
  const at = (text: string) => isOver(month, Date.parse(text));
  expect([at('2026-11-30T23:59:59.999Z'), at('2026-12-01T00:00:00.000Z')]).toEqual([false, true]);
});
