import { parseRatio } from '@tollgate/money';
import fc from 'fast-check';
import { compare, type OurRow, type SideRow } from './compare.ts';

const row = (of: Partial<SideRow>): SideRow => ({
  day: '2026-11-01',
  model: 'm',
  requests: 1n,
  input_tokens: 10n,
  cached_tokens: 0n,
  output_tokens: 5n,
  amount_pico: 1_000n,
  ...of,
});
const ours = (of: Partial<OurRow> = {}): OurRow => ({ ...row(of), requests_of_unknown_cost: 0n, ...of });
const statusOf = (our: OurRow[], their: SideRow[], tolerance = '0') =>
  compare(our, their, parseRatio(tolerance)).rows.map(({ status }) => status);

test.each<[string, Partial<SideRow>, string, string]>([
  ['nothing', {}, '0', 'ok'],
  ['one pico-USD', { amount_pico: 1_001n }, '0', 'differs'],
  ['one pico-USD of a thousand, within 0.1 %', { amount_pico: 1_001n }, '0.1', 'ok'],
  ['one pico-USD of a thousand, within 0.099 %', { amount_pico: 1_001n }, '0.099', 'differs'],
  ['a token', { output_tokens: 6n }, '0', 'differs'],
  ['a request', { requests: 2n }, '0.5', 'differs'],
  ['what they do not state', { requests: null, input_tokens: null }, '0', 'ok'],
  ['a credit that we do not have', { amount_pico: -1_000n }, '50', 'differs'],
  ['what they do not charge for', { amount_pico: 0n }, '50', 'differs'],
])('rows that are off by %s', (_what, theirs, tolerance, status) => {
  expect(statusOf([ours()], [row(theirs)], tolerance)).toEqual([status]);
});

test('what one side alone has is marked, and days and models are in order', () => {
  const { rows, totals } = compare(
    [ours({ day: '2026-11-02' }), ours({ model: 'b', requests_of_unknown_cost: 1n })],
    [row({ day: '2026-11-02' }), row({ model: 'a', amount_pico: 7n })],
    parseRatio('0'),
  );
  expect(rows.map(({ day, model, status }) => [day, model, status])).toEqual([
    ['2026-11-01', 'a', 'only_theirs'],
    ['2026-11-01', 'b', 'only_ours'],
    ['2026-11-02', 'm', 'ok'],
  ]);
  expect(rows[0]).toMatchObject({ ours: null, difference: { amount_pico: -7n, requests: -1n } });
  expect(rows[1]).toMatchObject({ theirs: null, difference: { amount_pico: 1_000n } });
  expect(totals).toMatchObject({
    ours: { requests: 2n, amount_pico: 2_000n },
    theirs: { requests: 2n, amount_pico: 1_007n },
    difference: { requests: 0n, amount_pico: 993n },
    requests_of_unknown_cost: 1n,
  });
});

test('the differences of the rows sum to the difference of the totals', () => {
  const figures = fc.record({
    day: fc.constantFrom('2026-11-01', '2026-11-02'),
    model: fc.constantFrom('a', 'b', 'c'),
    amount_pico: fc.bigInt(-(10n ** 20n), 10n ** 20n),
    requests: fc.bigInt(0n, 10n ** 9n),
  });
  const side = fc.uniqueArray(figures, { selector: ({ day, model }) => `${day} ${model}` });
  fc.assert(
    fc.property(side, side, (our, their) => {
      const { rows, totals } = compare(our.map(ours), their.map(row), parseRatio('0'));
      const sum = rows.reduce((all, { difference }) => all + (difference.amount_pico ?? 0n), 0n);
      expect(totals.difference.amount_pico).toBe(sum);
      expect(rows.filter(({ ours: mine }) => mine)).toHaveLength(our.length);
      expect(rows.filter(({ theirs }) => theirs)).toHaveLength(their.length);
    }),
  );
});
