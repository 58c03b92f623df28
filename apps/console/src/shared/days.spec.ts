import { lastDays, monthDays, readDays, toSpan } from './days.ts';

test.each([
  ['2026-11-01', '2026-11-30', { from: '2026-11-01', to: '2026-11-30' }],
  ['2026-11-01', undefined, { from: '2026-11-01' }],
  ['2026-02-30', '2026-03-01', { to: '2026-03-01' }],
  ['2026-11-02', '2026-11-01', {}],
  ['01.11.2026', '7', {}],
])('%s to %s are the days %j', (from, to, days) => {
  expect(readDays(from, to)).toEqual(days);
});

test('the last day counts whole', () => {
  expect(toSpan({ from: '2026-03-29', to: '2026-03-29' })).toEqual({
    from: new Date(2026, 2, 29).toISOString(),
    to: new Date(2026, 2, 30).toISOString(),
  });
  expect(toSpan({})).toEqual({});
});

test('the last seven days end today', () => {
  expect(lastDays(7, new Date(2026, 10, 3, 23, 30))).toEqual(['2026-10-28', '2026-11-03']);
});

test.each([
  [0, ['2026-03-01', '2026-03-31']],
  [1, ['2026-02-01', '2026-02-28']],
  [3, ['2025-12-01', '2025-12-31']],
])('the month %i before March is %j', (before, days) => {
  expect(monthDays(before, new Date(2026, 2, 31, 12))).toEqual(days);
});
