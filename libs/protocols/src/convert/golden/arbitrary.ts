import type { TokenCounts, TokenKind } from '@tollgate/vocabulary';
import fc from 'fast-check';

/** A text that is not blank. */
export const someText = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() !== '');

/** Letters and digits, a letter first. */
export const someWord = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/);

/** A list in which no two neighbours are alike. */
export const noneAlike = <T>(
  each: fc.Arbitrary<T>,
  alike: (one: T, other: T) => boolean,
): fc.Arbitrary<T[]> =>
  fc.array(each, { maxLength: 6 }).map((list) =>
    list.filter((one, index) => {
      const before = list[index - 1];
      return before === undefined || !alike(before, one);
    }),
  );

/** JSON text of an object, as JSON.stringify writes it. */
const objectText = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.startsWith('{"_raw"'));

/** Arguments as models write them, well or badly. */
export const anyInput = fc.oneof(objectText, someText);

/** Arguments that a format keeps which takes objects: what is no object stays as it is. */
export const objectInput = fc.oneof(objectText, fc.constantFrom('[1]', '"text"', '{"half":', '12'));

export const someData = fc.base64String({ minLength: 4, maxLength: 16 });
export const someUrl = someWord.map((word) => `https://example.com/${word}`);

const count = fc.integer({ min: 1, max: 9_000 });

/** Token counts of some of these kinds. */
export const tokensOfKinds = (kinds: readonly TokenKind[]): fc.Arbitrary<TokenCounts> =>
  fc.record(Object.fromEntries(kinds.map((kind) => [kind, count])) as Record<TokenKind, typeof count>, {
    requiredKeys: [],
  });
