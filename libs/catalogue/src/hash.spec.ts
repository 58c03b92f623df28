import fc from 'fast-check';
import { canonicalJson } from './index.ts';

test('one value has one text, whatever the order of its keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
    }),
  );
});

test('the text holds the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('keys are sorted at every depth', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
});

test('a date is its text, a key that means something to JavaScript is a key as every other one', () => {
  const date = new Date(Date.UTC(2026, 10, 25));
  const keys = JSON.parse('{"toJSON":1,"__proto__":{"b":1,"a":2}}') as object;
  const own = { toJSON: () => ({ b: 1, a: 2 }) };
  expect(canonicalJson(own)).toBe('{"a":2,"b":1}');
  expect(canonicalJson({ date, keys, absent: undefined, list: [undefined] })).toBe(
    '{"date":"2026-11-25T00:00:00.000Z","keys":{"__proto__":{"a":2,"b":1},"toJSON":1},"list":[null]}',
  );
});
