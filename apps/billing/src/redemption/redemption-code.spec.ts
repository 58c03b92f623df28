import fc from 'fast-check';
import { hashCode, newRedemptionCode, normaliseCode } from './redemption-code.ts';

test('a code is four groups of four characters that are not misread', () => {
  for (let time = 0; time < 200; time += 1) {
    expect(newRedemptionCode()).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  }
  expect(new Set(Array.from({ length: 1_000 }, newRedemptionCode)).size).toBe(1_000);
});

test.each([
  ['7KQ2-M9XT-4HVB-0ZRE', '7KQ2M9XT4HVB0ZRE'],
  [' 7kq2 m9xt 4hvb 0zre ', '7KQ2M9XT4HVB0ZRE'],
  ['7kq2m9xt4hvbozre', '7KQ2M9XT4HVB0ZRE'],
  ['IL1O-0000-0000-0000', '1110000000000000'],
  ['7KQ2-M9XT-4HVB-0ZR', undefined],
  ['7KQ2-M9XT-4HVB-0ZREE', undefined],
  ['7KQ2-M9XT-4HVB-0ZRU', undefined],
  ['7KQ2_M9XT_4HVB_0ZRE', undefined],
  ['', undefined],
])('"%s" is read as %s', (typed, code) => {
  expect(normaliseCode(typed)).toBe(code);
});

test('however a code is typed, it is the same code', () => {
  const codes = fc.constantFrom(...Array.from({ length: 50 }, newRedemptionCode));
  const spoilt = fc.array(fc.constantFrom('lower', 'blanks', 'letters'), { maxLength: 3 });
  fc.assert(
    fc.property(codes, spoilt, (code, ways) => {
      let typed = code;
      if (ways.includes('letters')) typed = typed.replaceAll('0', 'O').replaceAll('1', 'l');
      if (ways.includes('lower')) typed = typed.toLowerCase();
      if (ways.includes('blanks')) typed = typed.replaceAll('-', ' ');
      expect(hashCode(normaliseCode(typed) ?? '')).toBe(hashCode(code.replaceAll('-', '')));
    }),
  );
});
