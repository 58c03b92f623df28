import { readDays } from './days.ts';

test.each([
  ['2026-11-01', '2026-11-30', { from: '2026-11-01', to: '2026-11-30' }],
  ['2026-11-01', undefined, { from: '2026-11-01' }],
  ['2026-02-30', '2026-03-01', { to: '2026-03-01' }],
  ['2026-11-02', '2026-11-01', {}],
  ['01.11.2026', '7', {}],
])('%s to %s are the days %j', (from, to, days) => {
  expect(readDays(from, to)).toEqual(days);
});
