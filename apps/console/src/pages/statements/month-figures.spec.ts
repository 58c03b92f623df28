import { moveMonth, readAsked, roundedMoney, shortMonth } from './month-figures.ts';

test('months are moved over the ends of years', () => {
  expect([moveMonth('2026-01', -6), moveMonth('2025-12', 1)]).toEqual(['2025-07', '2026-01']);
});

test('a month is told in short', () => {
  expect([shortMonth('2026-11', 'en'), shortMonth('2026-11', 'zh-CN')]).toEqual(['Nov 2026', '2026年11月']);
});

test.each([
  ['0.005', '$0.00'],
  ['0.015', '$0.02'],
  ['1234.565000000001', '$1,234.57'],
  ['-0.004', '-$0.00'],
])('%s is %s in whole cents', (amount, shown) => {
  expect(roundedMoney(amount, 'en')).toBe(shown);
});

test.each([
  [
    { find: 'Acme', to: '2026-10', measure: 'credit', page: '2' },
    { find: 'Acme', to: '2026-10', measure: 'credit', page: 2 },
  ],
  [{}, { measure: 'usage', page: 1 }],
  [
    { to: 'now', measure: 'cost', page: '0.5' },
    { measure: 'usage', page: 1 },
  ],
])('the address %j asks for %j', (search, asked) => {
  expect(readAsked(search)).toEqual(asked);
});
