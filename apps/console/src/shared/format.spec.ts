import fc from 'fast-check';
import { formatUsd, parseUsd } from '@tollgate/money';
import {
  exactMoney,
  fromNow,
  isAmount,
  month,
  percentSpent,
  priceTimes,
  toRatio,
  shortMoney,
} from './format.ts';

test.each([
  ['0.00', '$0.00'],
  ['0.0000375', '$0.0000375'],
  ['0.000000000001', '$0.000000000001'],
  ['1234567.89', '$1,234,567.89'],
  ['9007199254740993.10', '$9,007,199,254,740,993.10'],
  ['-12.50', '-$12.50'],
])('%s is shown in full as %s', (amount, shown) => {
  expect(exactMoney(amount, 'en')).toBe(shown);
});

test('no digit of any amount is lost', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }), (pico) => {
      const shown = exactMoney(formatUsd(pico), 'en');
      expect(parseUsd(shown.replaceAll(/[$,]/g, ''))).toBe(pico);
    }),
  );
});

test.each([
  ['0.00', '$0.00'],
  ['0.00009', '<$0.0001'],
  ['-0.00009', '>-$0.0001'],
  ['0.0001', '$0.0001'],
  ['0.12345', '$0.1234'],
  ['0.50', '$0.50'],
  ['1.005', '$1.00'],
  ['1.015', '$1.02'],
  ['98765.4321', '$98,765.43'],
])('%s is shown at a glance as %s', (amount, shown) => {
  expect(shortMoney(amount, 'en')).toBe(shown);
});

test('Chinese has the same digits and the same sign', () => {
  expect(exactMoney('1234.5678', 'zh-CN')).toBe('$1,234.5678');
});

test.each([
  [2_500_000, '1', '2.50'],
  [2_500_000, '0.8', '2.00'],
  [1, '0.333333333', '0.000000333333'],
  [0, '3', '0.00'],
])('%i micro-USD times %s is %s USD', (price, ratio, amount) => {
  expect(priceTimes(price, ratio)).toBe(amount);
});

test.each([
  [1, '1'],
  [0.85, '0.85'],
  [0.000000001, '0.000000001'],
  [999999.123456789, '999999.123456789'],
  [10, '10'],
  [0, '0'],
])('the number %d is the ratio %s', (value, ratio) => {
  expect(toRatio(value)).toBe(ratio);
});

test.each([
  ['0.00', '10.00', 0],
  ['2.499', '10.00', 24],
  ['10.00', '10.00', 100],
  ['11.00', '10.00', 100],
  ['0.00', '0.00', 100],
])('%s of a budget of %s is %i percent', (spent, budget, percent) => {
  expect(percentSpent(spent, budget)).toBe(percent);
});

test.each([
  ['12.50', true],
  ['0', true],
  ['0.000000000001', true],
  ['', false],
  ['-1', false],
  ['1e3', false],
  ['1,5', false],
  ['0.0000000000001', false],
])('"%s" is an amount: %s', (text, is) => {
  expect(isAmount(text)).toBe(is);
});

test.each([
  ['2026-11-21T11:59:30Z', '30 seconds ago'],
  ['2026-11-21T11:57:00Z', '3 minutes ago'],
  ['2026-11-20T12:00:00Z', 'yesterday'],
  ['2026-11-23T13:00:00Z', 'in 2 days'],
  ['2025-11-01T00:00:00Z', 'last year'],
])('%s is %s', (iso, words) => {
  expect(fromNow(iso, 'en', Date.parse('2026-11-21T12:00:00Z'))).toBe(words);
});

test.each([
  ['2026-11', 'en', 'November 2026'],
  ['2026-01', 'zh-CN', '2026年1月'],
  ['2025-12', 'en', 'December 2025'],
])('the month %s is told in %s as %s, wherever the browser is', (text, locale, told) => {
  expect(month(text, locale)).toBe(told);
});
