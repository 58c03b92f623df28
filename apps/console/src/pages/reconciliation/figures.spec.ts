import { isOff } from './figures.ts';

const none = { requests: 0, input_tokens: null, cached_tokens: -3, output_tokens: 0, amount_usd: '0.00' };

test('what one side does not say is no difference', () => {
  expect(isOff(none, 'requests')).toBe(false);
  expect(isOff(none, 'input_tokens')).toBe(false);
  expect(isOff(none, 'cached_tokens')).toBe(true);
  expect(isOff(none, 'amount_usd')).toBe(false);
  expect(isOff({ ...none, amount_usd: '-0.000000000001' }, 'amount_usd')).toBe(true);
});
