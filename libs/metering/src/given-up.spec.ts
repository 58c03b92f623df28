import { INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { chargeGivenUp, type HeldExtras } from './given-up.ts';
import type { Metered } from './meter.ts';
import { withinBound } from './within-bound.ts';

const NOTHING_HELD: HeldExtras = { extras: undefined, free: new Set(), costliest: {} };
const bound = { input: 1_000, output: 500, textOnly: true };

test.each<[string, Metered, Metered['tokens']]>([
  ['nothing of it is known', { tokens: { input: 40 }, source: 'estimated' }, { input: 1_000, output: 500 }],
  [
    'some of it has passed',
    { tokens: { input: 40, output: 90 }, source: 'estimated' },
    { input: 1_000, output: 500 },
  ],
  [
    'its upstream has told its input',
    { tokens: { input: 40, cache_read: 7, output: 3, output_reasoning: 100 }, source: 'partial' },
    { input: 40, cache_read: 7, output: 400, output_reasoning: 100 },
  ],
  ['it was told in full', { tokens: { input: 40, output: 3 }, source: 'upstream' }, { input: 40, output: 3 }],
])('an answer that is given up when %s', (_when, metered, tokens) => {
  expect(chargeGivenUp(metered, bound, NOTHING_HELD)).toEqual({ tokens, source: metered.source });
});

test.each<[string, Metered, Metered['tokens']]>([
  [
    'nothing of it has come',
    { tokens: { input: 40 }, source: 'estimated' },
    { input: 1_000, output_image: 500 },
  ],
  [
    'some of it was counted',
    { tokens: { input: 40, output_image: 90 }, source: 'estimated' },
    { input: 1_000, output_image: 500 },
  ],
])('a picture that is given up when %s is charged as one', (_when, metered, tokens) => {
  const ofPictures = { ...bound, textOnly: false, writes: 'output_image' } as const;
  expect(chargeGivenUp(metered, ofPictures, NOTHING_HELD).tokens).toEqual(tokens);
});

test('a task that is given up is charged the units that were held for it', () => {
  const units = { images: 3, characters: 20, audio_milliseconds: 1_000, rerank_units: 2 };
  const held: HeldExtras = { ...NOTHING_HELD, extras: { units, serviceTiers: [] } };
  const seen: Metered = { tokens: { input: 40 }, source: 'estimated', extras: { units: { characters: 7 } } };
  expect(chargeGivenUp(seen, bound, held).extras?.units).toEqual(units);
});

const drawing = { model: 'draws', images: 1, input: 70, output: 900, outputOfImage: 900 };
const sold: HeldExtras = {
  extras: {
    units: { searches: 20, fetches: 1_000_000 },
    serviceTiers: ['priority'],
    region: 'us',
    drawing,
  },
  free: new Set(['web_fetch']),
  costliest: { serviceTier: 'priority', region: 'us' },
};
const drawn = [{ model: 'draws', counts: { input: 70, output_image: 900 } }];

test.each<[string, Metered, Metered['extras']]>([
  [
    'nothing of it is known: all that was held',
    { tokens: { input: 40 }, source: 'estimated' },
    { serviceTier: 'priority', region: 'us', units: { searches: 20 }, others: drawn },
  ],
  [
    'it was told how it is served: that, and the tools that were held',
    { tokens: { input: 40 }, source: 'partial', extras: { units: { searches: 3, fetches: 2 } } },
    { units: { searches: 20, fetches: 2 }, others: drawn },
  ],
  [
    'it was told in full',
    { tokens: { input: 40 }, source: 'upstream', extras: { units: { searches: 3 } } },
    { units: { searches: 3 } },
  ],
])('beside tokens, an answer that is given up when %s', (_when, metered, extras) => {
  expect(chargeGivenUp(metered, bound, sold).extras).toEqual(extras);
});

const count = fc.nat({ max: 100_000 });
const side = (kinds: readonly string[]) =>
  fc.record(Object.fromEntries(kinds.map((kind) => [kind, count])), { requiredKeys: [] });

test('to leave is never cheaper than to stay, whatever the upstream would have told, and never more than is held', () => {
  fc.assert(
    fc.property(
      side(INPUT_TOKEN_KINDS),
      side(OUTPUT_TOKEN_KINDS),
      fc.record({ input: count, output: count }),
      fc.constantFrom('partial', 'estimated'),
      count,
      (input, output, limits, source, seen) => {
        const limit = { ...limits, textOnly: false };
        // What staying costs is cut to what is held as well.
        const stayed = withinBound({ ...input, ...output }, limit).tokens;
        // An upstream tells the input at the beginning; an estimate knows nothing of it.
        const reported = source === 'partial' ? input : { input: seen };
        const left = withinBound(
          chargeGivenUp({ tokens: { ...reported, output: seen }, source }, limit, NOTHING_HELD).tokens,
          limit,
        );
        for (const kinds of [INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS]) {
          expect(sumTokens(left.tokens, kinds)).toBeGreaterThanOrEqual(sumTokens(stayed, kinds));
          expect(sumTokens(left.tokens, kinds)).toBeLessThanOrEqual(
            kinds === INPUT_TOKEN_KINDS ? limit.input : limit.output,
          );
        }
      },
    ),
  );
});
