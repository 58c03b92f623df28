import type { TokenKind } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { type UsageBound, withinBound } from './index.ts';

const KINDS: readonly TokenKind[] = [
  ...(['input', 'input_audio', 'input_image', 'cache_read', 'cache_write', 'cache_write_1h'] as const),
  ...(['output', 'output_reasoning', 'output_audio', 'output_image'] as const),
];
const count = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.constantFrom(0, 5_000_000, Number.MAX_SAFE_INTEGER),
);
const anyTokens = fc.dictionary(fc.constantFrom(...KINDS), count);
const anyBound: fc.Arbitrary<UsageBound> = fc.record({
  input: fc.integer({ min: 0, max: 200 }),
  output: fc.integer({ min: 0, max: 200 }),
  textOnly: fc.boolean(),
});
const sumOf = (tokens: Partial<Record<TokenKind, number>>, output: boolean): bigint =>
  Object.entries(tokens).reduce(
    (sum, [kind, n]) => (kind.startsWith('output') === output ? sum + BigInt(n) : sum),
    0n,
  );

test('whatever an upstream reports, no side is charged beyond its bound, and nothing twice', () => {
  fc.assert(
    fc.property(anyTokens, anyBound, (reported, bound) => {
      const { tokens, beyond } = withinBound(reported, bound);
      for (const [output, max] of [
        [false, bound.input],
        [true, bound.output],
      ] as const) {
        const charged = sumOf(tokens, output);
        const said = sumOf(reported, output);
        expect(charged).toBe(said < BigInt(max) ? said : BigInt(max));
      }
      if (bound.textOnly)
        for (const kind of ['input_audio', 'output_audio', 'output_image'] as const)
          expect(tokens[kind] ?? 0).toBe(0);
      if (!beyond) expect(tokens).toBe(reported);
      expect(withinBound(tokens, bound)).toEqual({ tokens, beyond: false });
    }),
    { numRuns: 1_000 },
  );
});

test.each<[object, UsageBound, object, boolean]>([
  [{ input: 10, output: 5 }, { input: 10, output: 5, textOnly: true }, { input: 10, output: 5 }, false],
  [
    { input: 5_000_000, output: 700_000 },
    { input: 300, output: 5, textOnly: true },
    { input: 300, output: 5 },
    true,
  ],
  [
    { input: Number.MAX_SAFE_INTEGER, cache_read: Number.MAX_SAFE_INTEGER },
    { input: 300, output: 5, textOnly: false },
    { input: 300 },
    true,
  ],
  [{ input: 10, output_audio: 4 }, { input: 10, output: 5, textOnly: true }, { input: 10, output: 4 }, true],
  [
    { input: 10, output_audio: 4 },
    { input: 10, output: 5, textOnly: false },
    { input: 10, output_audio: 4 },
    false,
  ],
])('of %j within %j %j are charged; beyond it: %s', (reported, bound, tokens, beyond) => {
  expect(withinBound({ ...reported }, bound)).toEqual({ tokens, beyond });
});
