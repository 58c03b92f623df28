import { formatUsd, parseUsd } from '@tollgate/money';
import fc from 'fast-check';
import { formatSorting, nextSorting, parseSorting, type Sortable, sortedBy } from './sorting.ts';

const itself = <T extends Sortable>(value: T): T => value;

test.each<[Sortable[], Sortable[]]>([
  [
    [10, 9, 0.85, -3],
    [-3, 0.85, 9, 10],
  ],
  [
    ['gpt-10', 'gpt-9', 'GPT-1'],
    ['GPT-1', 'gpt-9', 'gpt-10'],
  ],
  [
    ['z', 'ä', 'b'],
    ['ä', 'b', 'z'],
  ],
  [
    [2n, 10n ** 30n + 1n, 10n ** 30n],
    [2n, 10n ** 30n, 10n ** 30n + 1n],
  ],
])('%j is ordered as %j', (rows, ordered) => {
  expect(sortedBy(rows, itself, false, 'en')).toEqual(ordered);
  expect(sortedBy(rows, itself, true, 'en')).toEqual(ordered.toReversed());
});

test('amounts are ordered to their last digit, below zero too', () => {
  const picoUsd = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  fc.assert(
    fc.property(fc.array(picoUsd), (amounts) => {
      const ordered = sortedBy(amounts.map(formatUsd), parseUsd, false, 'en').map(parseUsd);
      expect(ordered.every((amount, index) => index === 0 || (ordered[index - 1] ?? amount) <= amount)).toBe(
        true,
      );
    }),
  );
});

test.each([true, false])('rows that are equal stay as they came; descending: %s', (isDescending) => {
  const rows = [
    { name: 'a', price: 1 },
    { name: 'b', price: 1 },
    { name: 'c', price: 1 },
  ];
  expect(sortedBy(rows, ({ price }) => price, isDescending, 'en')).toEqual(rows);
});

test.each<[Sortable, boolean[]]>([
  ['text', [false, true]],
  [1, [true, false]],
  [1n, [true, false]],
])('clicks on a column of such as %s', (example, descending) => {
  const first = nextSorting({ column: 'other', isDescending: true }, 'it', example);
  const second = nextSorting(first, 'it', example);
  expect([first, second]).toEqual(descending.map((isDescending) => ({ column: 'it', isDescending })));
  expect(nextSorting(second, 'it', example)).toBeUndefined();
});

test.each([
  ['spent', { column: 'spent', isDescending: false }],
  ['-spent', { column: 'spent', isDescending: true }],
] as const)('an address says %s for an order', (text, sorting) => {
  expect(parseSorting(text)).toEqual(sorting);
  expect(formatSorting(sorting)).toBe(text);
});

test.each([undefined, '', '-', 7, 'a b', '--a'])('%j is no order', (text) => {
  expect(parseSorting(text)).toBeUndefined();
});
