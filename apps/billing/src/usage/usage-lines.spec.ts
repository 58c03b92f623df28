// Events over every kind of token and unit, tier, region and second model are priced line by line.
import { computeCeilings, computeMaxCharge, toPriceTerms } from '@tollgate/catalogue';
import { parseRatio } from '@tollgate/money';
import fc from 'fast-check';
import { anyUsage, snapshotOfUnits } from '../../testing/arbitrary-usage.ts';
import { type EventFields, usageEvent } from '../../testing/usage-events.ts';
import { raterFor } from '../rerate/rater.ts';
import { computePosting, type Posting } from './posting.ts';
import { toStoredLines } from './usage-lines.ts';

const snapshot = snapshotOfUnits();
const post = (of: EventFields): Posting => {
  const result = computePosting(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
};

test('a request of a second model, a tier and units costs what its lines cost, each rounded once', () => {
  const { costPico, lineCosts, event } = post({
    lines: [
      { model: 'm', counts: { input: 3, searches: 2 }, service_tier: 'fast', region: 'us' },
      { model: 'drawing', counts: { output_image: 5 } },
    ],
  });
  // 303 in the tier "fast" (1.333) and the region "us" (1.1), two searches at 1,004 and 3 micro-USD for the request.
  expect(lineCosts.map((each) => each.costPico)).toEqual([1_000_817n, 1_810n]);
  expect(costPico).toBe(1_002_627n);
  expect(toStoredLines(event, lineCosts)).toMatchObject([{ cost_pico: '1000817' }, { cost_pico: '1810' }]);
});

test.each<[string, EventFields, EventFields['lines']]>([
  [
    'a unit without a price',
    { model: 'plain', lines: [{ model: 'plain', counts: { input: 1, images: 4 } }] },
    [{ model: 'plain', counts: { input: 1 } }],
  ],
  [
    'a tier without a price',
    { model: 'plain', lines: [{ model: 'plain', counts: { input: 1 }, service_tier: 'priority' }] },
    [{ model: 'plain', counts: { input: 1 } }],
  ],
  [
    'a region without a price',
    { lines: [{ model: 'm', counts: { input: 1 }, region: 'mars' }] },
    [{ model: 'm', counts: { input: 1 } }],
  ],
  [
    'a model that is not there',
    {
      lines: [
        { model: 'm', counts: { input: 1 } },
        { model: 'unheard-of', counts: { input: 1 } },
      ],
    },
    [{ model: 'm', counts: { input: 1 } }],
  ],
  [
    'more searches than were held for',
    {
      lines: [{ model: 'm', counts: { input: 1, searches: 9, fetches: 1 } }],
      bound: { input: 1, output: 1, text_only: true, units: { searches: 2 } },
    },
    [{ model: 'm', counts: { input: 1, searches: 2 } }],
  ],
  [
    'a tier that costs more than was held for',
    {
      lines: [{ model: 'm', counts: { input: 1 }, service_tier: 'flex' }],
      bound: { input: 1, output: 1, text_only: true, service_tiers: ['fast'] },
    },
    [{ model: 'm', counts: { input: 1 } }],
  ],
  [
    'more tokens over all lines than were held for',
    {
      lines: [
        { model: 'm', counts: { input: 8 } },
        { model: 'drawing', counts: { input: 8 } },
      ],
      bound: { input: 10, output: 1, text_only: true },
    },
    [
      { model: 'm', counts: { input: 8 } },
      { model: 'drawing', counts: { input: 2 } },
    ],
  ],
  [
    'more of a second model than was held for it',
    {
      lines: [
        { model: 'm', counts: { input: 8 } },
        { model: 'drawing', counts: { input: 8, output_image: 9, images: 1 } },
      ],
      bound: {
        input: 100,
        output: 100,
        text_only: true,
        others: [{ model: 'drawing', input: 3, output: 4 }],
      },
    },
    [
      { model: 'm', counts: { input: 8 } },
      { model: 'drawing', counts: { input: 3, output_image: 4 } },
    ],
  ],
])('%s is not charged, and set aside', (_what, of, charged) => {
  const { event, reported } = post(of);
  expect(event.lines).toEqual(charged);
  expect(reported).toEqual(of.lines);
});

test.each<[string, EventFields]>([
  [
    'what a second model was held for',
    {
      lines: [
        { model: 'm', counts: { input: 8 } },
        { model: 'drawing', counts: { input: 3, output_image: 4 } },
      ],
      bound: { input: 8, output: 0, text_only: true, others: [{ model: 'drawing', input: 3, output: 4 }] },
    },
  ],
  ['units that a model gives away', { model: 'plain', lines: [{ model: 'plain', counts: { searches: 4 } }] }],
  [
    'a tier that is cheaper than what was held for',
    {
      lines: [{ model: 'm', counts: { input: 1 }, service_tier: 'priority' }],
      bound: { input: 1, output: 1, text_only: true },
    },
  ],
])('%s are booked as they came', (_what, of) => {
  const { event, reported } = post(of);
  expect([event.lines, reported]).toEqual([of.lines, undefined]);
});

test('whatever is reported, a request of one model costs no more than its hold, and the same when it is rated again', () => {
  const rater = raterFor(snapshot);
  fc.assert(
    fc.property(anyUsage, (of) => {
      const { event, costPico, lineCosts } = post(of);
      expect(costPico).toBe(lineCosts.reduce((sum, each) => sum + each.costPico, 0n));
      expect(
        rater({
          accountId: event.account_id,
          group: event.group,
          model: event.model,
          version: 1,
          lines: event.lines,
        }),
      ).toBe(costPico);
      const model = snapshot.catalogue.models.find(({ name }) => name === event.model);
      if (!event.bound || !model || event.lines.length > 1) return;
      const { input, output, text_only: textOnly, units, service_tiers: serviceTiers } = event.bound;
      const ceilings = computeCeilings(toPriceTerms(model));
      expect(costPico).toBeLessThanOrEqual(
        computeMaxCharge({ input, output, textOnly, units, serviceTiers }, ceilings, [
          parseRatio('0.333333333'),
        ]),
      );
    }),
    { numRuns: 500 },
  );
});
