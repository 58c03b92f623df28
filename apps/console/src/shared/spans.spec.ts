import { lastDays, monthDays, toSpan } from './spans.ts';

test('the last day counts whole', () => {
  expect(toSpan({ from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin')).toEqual({
    from: '2026-03-28T23:00:00.000Z',
    to: '2026-03-29T22:00:00.000Z',
  });
  expect(toSpan({}, 'UTC')).toEqual({});
});

test('the last seven days end today', () => {
  expect(lastDays(7, 'Asia/Shanghai', new Date('2026-11-02T16:30:00Z'))).toEqual([
    '2026-10-28',
    '2026-11-03',
  ]);
});

test.each([
  [0, ['2026-03-01', '2026-03-31']],
  [1, ['2026-02-01', '2026-02-28']],
  [3, ['2025-12-01', '2025-12-31']],
])('the month %i before March is %j', (before, days) => {
  expect(monthDays(before, 'America/Los_Angeles', new Date('2026-04-01T05:00:00Z'))).toEqual(days);
});
