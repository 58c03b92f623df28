import { byteSize, listSums } from './sums.ts';

test('amounts are shown once, kinds that nobody used are not, and everything else as it is', () => {
  const sums = {
    tokens_input: '12',
    tokens_output_image: '0',
    units_searches: '3',
    units_pages: '0',
    cost_usd: '0.5',
    cost_pico: '500000000000',
    BilledCost: '1',
    BilledCost_pico: '1',
  };
  expect(listSums(sums)).toEqual([
    { name: 'tokens_input', value: '12', isMoney: false },
    { name: 'units_searches', value: '3', isMoney: false },
    { name: 'cost_usd', value: '0.5', isMoney: true },
    { name: 'BilledCost', value: '1', isMoney: true },
  ]);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 KB'],
  [64_000_000, '64 MB'],
  [5e15, '5,000 TB'],
])('%i bytes are %s', (bytes, size) => {
  expect(byteSize(bytes, 'en')).toBe(size);
});
