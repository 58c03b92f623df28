import fc from 'fast-check';
import { findColour, findFills, findHue } from './colours.ts';

test('a model has one colour, whatever stands beside it', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 24 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(names, (together) => {
      const fills = findFills(together);
      for (const name of together) {
        expect(fills.get(name)).toContain(findColour(name));
        expect(findFills([name]).get(name)).toBe(findColour(name));
      }
      expect(findFills(together.toReversed())).toEqual(fills);
    }),
  );
});

test('of two that are near to each other one has stripes', () => {
  const names = Array.from({ length: 60 }, (_, index) => `model-${index}`);
  const fills = [...findFills(names).values()];
  const plain = fills.filter((fill) => !fill.startsWith('repeating'));
  expect(plain.length).toBeGreaterThan(7);
  expect(plain.length).toBeLessThan(17);
});

test('hues lie all around the circle', () => {
  const thirds = [0, 0, 0];
  for (let index = 0; index < 300; index += 1) {
    const third = Math.floor(findHue(`gpt-${index}`) / 120);
    thirds[third] = (thirds[third] ?? 0) + 1;
  }
  for (const count of thirds) expect(count).toBeGreaterThan(70);
});
