import { type Catalogue, EMPTY_CATALOGUE, type Model } from '@tollgate/catalogue';
import {
  makeGroup,
  makeMember,
  makeModel,
  makePool,
  smallCatalogue,
  makeUpstream,
} from '../../testing/catalogues.ts';
import { readFault, sayFault } from '@tollgate/vocabulary';
import { findFaults } from './validate.ts';

const priced = makeModel('m', { input: 1, output: 1 });
const tiersAt = (...steps: number[]) =>
  steps.map((above_input_tokens) => ({ above_input_tokens, prices: priced.prices }));
const upstreamWith = (more: Parameters<typeof makeUpstream>[1]) => ({
  upstreams: [makeUpstream('east', more)],
});
const credential = { name: 'a', sealed: 's', weight: 1, limits: {} };
const account = '0198f1c2-7d1e-7000-8000-000000000001';
const discount = (models: string[], of = account) => ({ account_id: of, models, ratio: '0.9' });
const other = '0198f1c2-7d1e-7000-8000-000000000002';

const SOLD: Partial<Model> = {
  features: { web_search: 'priced', service_tier: 'priced', speed: 'priced', inference_geo: 'priced' },
  unit_prices: { searches: 0 },
  service_tiers: { flex: '0.5', fast: '6' },
  regions: { us: '1.1' },
};

function selling(more: Partial<Model>): Catalogue {
  const [first, ...others] = smallCatalogue().models;
  if (!first) throw new Error('the catalogue has no model');
  return { ...smallCatalogue(), models: [{ ...first, ...more }, ...others] };
}

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
  ['a model that has a price for all that it sells', selling(SOLD)],
])('%s has no faults', (_what, catalogue) => {
  expect(findFaults(catalogue)).toEqual([]);
});

const group = makeGroup('g');
const member = makeMember('east');
const pool = makePool('p', { members: [member] });

test.each<[string, Partial<Catalogue>]>([
  [
    'models.m.vendor: there is no vendor "nobody"',
    { models: [...smallCatalogue().models, makeModel('m', { input: 1, output: 1 }, { vendor: 'nobody' })] },
  ],
  [
    'models.m.image_models: there is no model "gone"',
    {
      models: [
        ...smallCatalogue().models,
        { ...priced, features: { image_generation: 'priced' }, image_models: ['acme-large', 'gone'] },
      ],
    },
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
    upstreamWith({
      costs: { 'acme-large': { prices: priced.prices, tiers: tiersAt(2, 1), request_price: 0 } },
    }),
  ],
  [
    'upstreams.east.costs: there is no model "gone"',
    upstreamWith({ costs: { gone: { prices: priced.prices, tiers: [], request_price: 0 } } }),
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
  [
    'groups.g.fallbacks: there is no model "gone"',
    { groups: [{ ...group, fallbacks: { gone: ['acme-large'] } }] },
  ],
  [
    'groups.g.fallbacks.acme-large: there is no model "gone"',
    { groups: [{ ...group, fallbacks: { 'acme-large': ['gone'] } }] },
  ],
  [
    'groups.g.fallbacks.acme-large: a model cannot stand in for itself',
    { groups: [{ ...group, fallbacks: { 'acme-large': ['acme-third', 'acme-large'] } }] },
  ],
  [
    'groups.g.fallbacks.acme-large: the group may not use the model "acme-third"',
    {
      groups: [{ ...group, models: ['acme-large'], fallbacks: { 'acme-large': ['acme-third'] } }],
    },
  ],
  ['groups.g.required_tags: no upstream has the tag "eu"', { groups: [{ ...group, required_tags: ['eu'] }] }],
  ['groups.auto: this name stands for the groups of auto_groups', { groups: [{ ...group, name: 'auto' }] }],
  ['auto_groups: there is no group "gone"', { auto_groups: ['default', 'gone'] }],
  ['auto_groups: a group stands there twice', { auto_groups: ['default', 'default'] }],
  [
    'upstreams.east.credentials: "a" stands there twice',
    upstreamWith({
      credentials: ['a', 'a'].map((name) => ({ name, sealed: 's', weight: 1, limits: {} })),
    }),
  ],
  [
    'upstreams.east.set_headers: "Content-Length" is set by the gateway',
    upstreamWith({ set_headers: { 'Content-Length': '1' } }),
  ],
  [
    'upstreams.east.auth.header: "Host" is set by the gateway',
    upstreamWith({ auth: { kind: 'static', header: 'Host' }, credentials: [credential] }),
  ],
  [
    'upstreams.east.credentials: the auth "google" needs a credential; its secret may be the word ambient',
    upstreamWith({ auth: { kind: 'google' }, credentials: [] }),
  ],
  [
    'upstreams.east.auth.external_id: says who assumes a role, but auth.role_arn names none',
    upstreamWith({
      auth: { kind: 'aws', region: 'eu-central-1', external_id: 'x1' },
      credentials: [credential],
    }),
  ],
  [
    'upstreams.east.auth.authority: The host "127.0.0.1" of this upstream is not reached: its address is loopback.; private ones need allow_private_addresses',
    upstreamWith({ auth: { kind: 'azure', authority: 'http://127.0.0.1:1' }, credentials: [credential] }),
  ],
  [
    'upstreams.east.paths: "gemini" is none of its protocols',
    upstreamWith({ paths: { gemini: { generate: '/x' } } }),
  ],
  [
    'upstreams.east.wrapping: "anthropic-messages" is none of its protocols',
    upstreamWith({ protocols: ['gemini'], wrapping: { 'anthropic-messages': 'vertex' } }),
  ],
  [
    'upstreams.east.set_parameters: "model" is set by the gateway',
    upstreamWith({ set_parameters: { model: 'x', temperature: 0 } }),
  ],
  [
    'upstreams.east.set_parameters: "background" would make answers go on after requests that nobody looks after: it is held and billed by what callers ask for; sell it as a feature of the model',
    upstreamWith({ set_parameters: { background: true, store: false } }),
  ],
  [
    'upstreams.east.set_parameters: "tools" is held and billed by what callers ask for; sell it as a feature of the model',
    upstreamWith({ set_parameters: { tools: [{ type: 'web_search' }], plugins: null } }),
  ],
  [
    'upstreams.east.set_parameters: "previous_response_id" would show all callers, and have them pay for, what is kept of others',
    upstreamWith({ set_parameters: { previous_response_id: 'resp_1', background: false } }),
  ],
  [
    'upstreams.east.set_parameters: "generationConfig.candidateCount" is left to the caller',
    upstreamWith({ set_parameters: { generationConfig: { candidateCount: 8 } } }),
  ],
  [
    'upstreams.east.set_parameters: "generation_config" is written generationConfig',
    upstreamWith({ set_parameters: { generation_config: { max_output_tokens: 8 } } }),
  ],
])('%s', (fault, change) => {
  expect(findFaults({ ...smallCatalogue(), ...change })).toEqual([fault]);
  // Who reads another language is told by what these words are read as.
  const read = readFault(fault);
  expect(read && sayFault(read.place, read.fault, read.values)).toBe(fault);
});

test.each<[feature: string, more: Partial<Model>, fault: string]>([
  ['web_search', { unit_prices: { fetches: 1 } }, 'but unit_prices.searches says no price'],
  ['web_fetch', {}, 'but unit_prices.fetches says no price'],
  ['file_search', {}, 'but unit_prices.file_searches says no price'],
  ['code_execution', {}, 'but unit_prices.container_sessions says no price'],
  ['service_tier', { service_tiers: { fast: '6' } }, 'but service_tiers names no tier'],
  ['speed', { service_tiers: { flex: '0.5' } }, 'but service_tiers.fast says no ratio'],
  ['inference_geo', { regions: {} }, 'but regions names none'],
  ['background', {}, 'it cannot be priced'],
  ['image_generation', {}, 'but image_models names no model'],
])('%s is not sold without its price', (feature, more, fault) => {
  const faults = findFaults(selling({ ...more, features: { [feature]: 'priced' } }));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`features.${feature}: `);
  expect(faults[0]).toContain(fault);
});

const addressFault = (base_url: string, allow_private_addresses: boolean) =>
  findFaults({ ...smallCatalogue(), ...upstreamWith({ base_url, allow_private_addresses }) }).join();

test.each(['http://127.0.0.1:8080', 'http://10.1.2.3/v1', 'http://[fd00::1]', 'http://0x7f.1'])(
  'the private address %s must be allowed',
  (url) => {
    expect(addressFault(url, false)).toMatch(
      /^upstreams\.east\.base_url: .*; private ones need allow_private_addresses$/,
    );
    expect(addressFault(url, true)).toBe('');
  },
);

test.each(['http://169.254.169.254', 'http://0.0.0.0', 'http://[ff02::1]'])(
  'the address %s cannot be allowed',
  (url) => {
    expect(addressFault(url, true)).toMatch(/^upstreams\.east\.base_url: /);
  },
);

test('a list of models at a private address must be allowed too', () => {
  const model_lists = ['http://10.1.2.3/foundation-models'];
  const found = findFaults({ ...smallCatalogue(), ...upstreamWith({ model_lists }) }).join();
  expect(found).toMatch(/^upstreams\.east\.model_lists: .*; private ones need allow_private_addresses$/);
});

test('every fault is told, not only the first', () => {
  const faults = findFaults({
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
