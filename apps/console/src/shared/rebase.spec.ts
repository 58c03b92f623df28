import fc from 'fast-check';
import { rebase } from './rebase.ts';

const begun = { name: 'a', tags: ['x'], limits: { requests: 10, tokens: 20 }, prices: { input: '1' } };

test('a field that was left alone is theirs, one that was typed stays', () => {
  const typed = { ...begun, tags: ['x', 'mine'], limits: { requests: 11, tokens: 20 } };
  const theirs = { ...begun, name: 'b', tags: ['theirs'], limits: { requests: 12, tokens: 22 } };
  expect(rebase(begun, typed, theirs)).toEqual({
    name: 'b',
    tags: ['x', 'mine'],
    limits: { requests: 11, tokens: 22 },
    prices: { input: '1' },
  });
});

test('what was added or taken away by either stays so', () => {
  const prices = (value: Readonly<Record<string, string>>) => ({ prices: value });
  expect(
    rebase(
      prices({ input: '1', output: '2', cached: '3' }),
      prices({ input: '1', output: '2', mine: '4' }),
      prices({ input: '1', cached: '3', theirs: '5' }),
    ),
  ).toEqual(prices({ input: '1', mine: '4', theirs: '5' }));
});

test.each(['valueOf', 'constructor', '__proto__'])('a field called %s is one like others', (name) => {
  const withField = Object.fromEntries([[name, { a: 1 }]]);
  expect(JSON.stringify(rebase(withField, withField, {}))).toBe('{}');
  expect(JSON.stringify(rebase(withField, {}, withField))).toBe('{}');
  expect(JSON.stringify(rebase({}, {}, withField))).toBe(JSON.stringify(withField));
  expect(JSON.stringify(rebase({ b: 1 }, { b: 2 }, { b: 1, ...withField }))).toContain('"a":1');
});

test('who typed nothing gets theirs, and who typed alone keeps theirs', () => {
  fc.assert(
    fc.property(fc.object(), fc.object(), (one, other) => {
      expect(rebase(one, one, other)).toEqual(other);
      expect(rebase(one, other, one)).toEqual(other);
    }),
  );
});
