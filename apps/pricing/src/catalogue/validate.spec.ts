import type { Catalogue } from '@tollgate/contracts';
import { modelOf, smallCatalogue } from '../../testing/catalogues.ts';
import { EMPTY_CATALOGUE } from './change.ts';
import { faultsOf } from './validate.ts';

test.each([
  ['an empty catalogue', EMPTY_CATALOGUE],
  ['a catalogue whose names all stand', smallCatalogue()],
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
