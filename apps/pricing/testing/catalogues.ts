import {
  type Catalogue,
  completePrices,
  type Group,
  type Model,
  type Pool,
  type PoolMember,
  type PricesInput,
  type Upstream,
} from '@tollgate/catalogue';

export const makeModel = (name: string, prices: PricesInput, more: Partial<Model> = {}): Model => ({
  name,
  vendor: 'acme',
  description: '',
  tags: [],
  prices: completePrices(prices),
  tiers: [],
  request_price: 0,
  context_window: null,
  max_output_tokens: null,
  limits: {},
  ...more,
});

/** Entries as they are where an admin says nothing more of them. */
export const makeGroup = (name: string, more: Partial<Group> = {}): Group => ({
  name,
  description: '',
  ratio: '1',
  models: ['*'],
  limits: {},
  fallbacks: {},
  required_tags: [],
  ...more,
});

export const makeUpstream = (name: string, more: Partial<Upstream> = {}): Upstream => ({
  name,
  base_url: `https://${name}.example`,
  protocols: ['openai-chat', 'anthropic-messages'],
  credentials: [],
  tags: [],
  set_headers: {},
  set_parameters: {},
  allow_private_addresses: false,
  limits: {},
  probe_interval_s: null,
  costs: {},
  cost_ratio: null,
  connect_timeout_ms: 1_000,
  first_byte_timeout_ms: 10_000,
  idle_timeout_ms: 10_000,
  total_timeout_ms: 60_000,
  ...more,
});

export const makeMember = (upstream: string, more: Partial<PoolMember> = {}): PoolMember => ({
  upstream,
  priority: 0,
  weight: 1,
  model_map: {},
  cost_ratio: null,
  ...more,
});

export const makePool = (name: string, more: Partial<Pool> = {}): Pool => ({
  name,
  groups: ['*'],
  models: ['*'],
  members: [],
  strategy: 'weighted',
  attempts: 3,
  retry_percent: 20,
  hedge: false,
  ...more,
});

/** Prices whose ratios binary floating point cannot hold, a free model, and a group that may use one model only. */
export const smallCatalogue = (): Catalogue => ({
  vendors: [
    { name: 'acme', description: 'Makes chat models', icon: 'acme.svg' },
    { name: 'umbra', description: '', icon: '' },
  ],
  models: [
    makeModel(
      'acme-large',
      {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        input_audio: 7_000_000,
        output: 15_000_000,
        output_audio: 16_100_000,
      },
      { description: 'Talks "much"', tags: ['chat', 'audio'], context_window: 200_000 },
    ),
    makeModel('acme-third', { input: 300_000, cache_read: 100_000, input_image: 200_000, output: 2_100_000 }),
    makeModel('umbra-free', { input: 0, output: 0 }, { vendor: 'umbra', max_output_tokens: 4_096 }),
  ],
  groups: [
    makeGroup('default', { description: 'Everybody' }),
    makeGroup('partner', { description: 'A bit off', ratio: '0.85', models: ['acme-third'] }),
  ],
  upstreams: [makeUpstream('east')],
  pools: [makePool('main', { models: ['acme-large', 'acme-third'], members: [makeMember('east')] })],
  discounts: [],
  auto_groups: [],
  limits: { client: {}, key: {}, route: {} },
});
