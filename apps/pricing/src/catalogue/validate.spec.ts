import type { Catalogue } from '@tollgate/contracts';
import { modelOf, smallCatalogue } from '../../testing/catalogues.ts';
import { EMPTY_CATALOGUE } from './change.ts';
import { faultsOf } from './validate.ts';

const priced = modelOf('m', { input: 1, output: 1 });
const tiersAt = (...steps: number[]) =>
  steps.map((above_input_tokens) => ({ above_input_tokens, prices: priced.prices }));
const [east] = smallCatalogue().upstreams;
const upstreamWith = (costs: Catalogue['upstreams'][0]['costs']): Catalogue['upstreams'] =>
  east ? [{ ...east, costs }] : [];
const account = '0198f1c2-7d1e-7000-8000-000000000001';
const discount = (models: string[], of = account) => ({ account_id: of, models, ratio: '0.9' });
const other = '0198f1c2-7d1e-7000-8000-000000000002';

test.each([
  ['an empty catalogue', EMPTY_CATALOGUE],
  ['a catalogue whose names all stand', smallCatalogue()],
  [
    'a catalogue with tiers that rise, and with a discount of every model behind one of a single model',
    {
      ...smallCatalogue(),
      models: smallCatalogue().models.map((model) => ({ ...model, tiers: tiersAt(1, 2, 300) })),
      discounts: [discount(['acme-large']), discount(['*']), discount(['*'], other)],
    },
  ],
])('%s has no faults', (_what, catalogue) => {
  expect(faultsOf(catalogue)).toEqual([]);
});

const group = { name: 'g', description: '', ratio: '1', limits: {} };
const member = { upstream: 'east', priority: 0, weight: 1, model_map: {} };
const pool = { name: 'p', groups: ['*'], models: ['*'], members: [member] };

test.each<[string, Partial<Catalogue>]>([
  [
    'models.m.vendor: there is no vendor "nobody"',
    { models: [...smallCatalogue().models, modelOf('m', { input: 1, output: 1 }, { vendor: 'nobody' })] },
  ],
  ['groups.g.models: there is no model "gone"', { groups: [{ ...group, models: ['*', 'gone'] }] }],
  ['pools.p.groups: there is no group "gone"', { pools: [{ ...pool, groups: ['gone'] }] }],
  ['pools.p.models: there is no model "gone"', { pools: [{ ...pool, models: ['gone'] }] }],
  [
    'pools.p.members: there is no upstream "west"',
    { pools: [{ ...pool, members: [{ ...member, upstream: 'west' }] }] },
  ],
  [
    'pools.p.members.model_map: there is no model "gone"',
    { pools: [{ ...pool, members: [{ ...member, model_map: { gone: 'elsewhere' } }] }] },
  ],
  ['pools: "p" stands there twice', { pools: [pool, pool] }],
  [
    'models.m.tiers: above_input_tokens must rise from each tier to the next',
    { models: [...smallCatalogue().models, { ...priced, tiers: tiersAt(100, 300, 200) }] },
  ],
  [
    'models.m.tiers: above_input_tokens must rise from each tier to the next',
    { models: [...smallCatalogue().models, { ...priced, tiers: tiersAt(100, 100) }] },
  ],
  [
    'upstreams.east.costs.acme-large.tiers: above_input_tokens must rise from each tier to the next',
    {
      upstreams: upstreamWith({
        'acme-large': { prices: priced.prices, tiers: tiersAt(2, 1), request_price: 0 },
      }),
    },
  ],
  [
    'upstreams.east.costs: there is no model "gone"',
    { upstreams: upstreamWith({ gone: { prices: priced.prices, tiers: [], request_price: 0 } }) },
  ],
  [`discounts.${account}.models: there is no model "gone"`, { discounts: [discount(['gone'])] }],
  [
    `discounts.${account}.models: an earlier discount holds for "acme-large" already`,
    { discounts: [discount(['*']), discount(['acme-large'])] },
  ],
  [
    `discounts.${account}.models: an earlier discount holds for "acme-third" already`,
    { discounts: [discount(['acme-large', 'acme-third']), discount(['acme-third', 'umbra-free'])] },
  ],
  [
    `discounts.${account}: all discounts of an account must stand together`,
    { discounts: [discount(['acme-large']), discount(['*'], other), discount(['*'])] },
  ],
])('%s', (fault, change) => {
  expect(faultsOf({ ...smallCatalogue(), ...change })).toEqual([fault]);
});

test('every fault is told, not only the first', () => {
  const faults = faultsOf({
    ...smallCatalogue(),
    vendors: [],
    pools: [{ ...pool, groups: ['gone'], members: [{ ...member, upstream: 'west' }] }],
  });
  expect(faults).toEqual([
    'models.acme-large.vendor: there is no vendor "acme"',
    'models.acme-third.vendor: there is no vendor "acme"',
    'models.umbra-free.vendor: there is no vendor "umbra"',
    'pools.p.groups: there is no group "gone"',
    'pools.p.members: there is no upstream "west"',
  ]);
});
