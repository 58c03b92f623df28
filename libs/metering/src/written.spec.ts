import { OUTPUT_TOKEN_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { Metered } from './meter.ts';
import { tokensWrittenIn, withUnseenReasoning } from './written.ts';

test.each([
  [0, 0],
  [-5, 0],
  [1, 1],
  [10, 1],
  [11, 2],
  [90_000, 9_000],
])('in %i ms a model can have written %i tokens', (ms, tokens) => {
  expect(tokensWrittenIn(ms)).toBe(tokens);
});

test.each<[string, Metered, Metered['tokens']]>([
  [
    'shown little',
    { tokens: { input: 40, output: 9 }, source: 'estimated' },
    { input: 40, output: 9, output_reasoning: 891 },
  ],
  ['shown nothing', { tokens: { input: 40 }, source: 'estimated' }, { input: 40, output_reasoning: 900 }],
  [
    'told some of it',
    { tokens: { input: 40, output: 9, output_reasoning: 100 }, source: 'partial' },
    { input: 40, output: 9, output_reasoning: 891 },
  ],
  ['shown more', { tokens: { output: 950 }, source: 'estimated' }, { output: 950 }],
  ['failed before it answered anything', { tokens: {}, source: 'estimated' }, {}],
  ['told all', { tokens: { input: 40, output: 9 }, source: 'upstream' }, { input: 40, output: 9 }],
])('a model that reasoned for nine seconds and has %s', (_what, metered, tokens) => {
  expect(withUnseenReasoning(metered, 9_000, 5_000)).toEqual({ tokens, source: metered.source });
});

test('what is billed beside its tokens stays', () => {
  const extras = { serviceTier: 'priority', units: { searches: 2 } } as const;
  expect(
    withUnseenReasoning({ tokens: { input: 1 }, source: 'estimated', extras }, 9_000, 5_000),
  ).toMatchObject({ extras });
});

test('it is raised to no more than the request can have', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: 1_000_000 }), fc.nat({ max: 1_000 }), (ms, max, seen) => {
      const { tokens } = withUnseenReasoning({ tokens: { output: seen }, source: 'estimated' }, ms, max);
      const sum = OUTPUT_TOKEN_KINDS.reduce((all, kind) => all + (tokens[kind] ?? 0), 0);
      expect(sum).toBe(Math.max(seen, Math.min(max, tokensWrittenIn(ms))));
    }),
  );
});
