import {
  type Catalogue,
  completePrices,
  type Model,
  type PricesInput,
  SIMULATOR,
  type Upstream,
} from '@tollgate/catalogue';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import type { PricingSeedConfig } from './config.ts';

const model = (name: string, vendor: string, description: string, prices: PricesInput): Model => ({
  name,
  vendor,
  description,
  tags: ['simulated'],
  prices: completePrices(prices),
  tiers: [],
  request_price: 0,
  context_window: 200_000,
  max_output_tokens: 64_000,
  limits: {},
});

const SIMULATED_MODELS: Model[] = [
  model('sim-chat', 'openai', 'A small chat model', {
    input: 2_500_000,
    cache_read: 1_250_000,
    input_audio: 40_000_000,
    output: 10_000_000,
    output_audio: 80_000_000,
  }),
  model('sim-responses', 'openai', 'A reasoning model', {
    input: 1_250_000,
    cache_read: 125_000,
    cache_write: 1_562_500,
    output: 10_000_000,
  }),
  model('sim-claude', 'anthropic', 'A coding model', {
    input: 3_000_000,
    cache_read: 300_000,
    cache_write: 3_750_000,
    cache_write_1h: 6_000_000,
    output: 15_000_000,
  }),
  model('sim-gemini', 'google', 'A multimodal model', {
    input: 300_000,
    cache_read: 75_000,
    input_audio: 1_000_000,
    output: 2_500_000,
  }),
  model('sim-mapped', 'openai', 'A model that the upstream knows by another name', {
    input: 150_000,
    output: 600_000,
  }),
  model('sim-vip', 'openai', 'A model for the group vip', { input: 15_000_000, output: 75_000_000 }),
];

/** Of a group: no fallbacks, any upstream. */
const PLAIN = { fallbacks: {}, required_tags: [] };

/** The simulator as an upstream. */
export const simulatorUpstream = (baseUrl: string, sealed: string): Upstream => ({
  name: SIMULATOR,
  base_url: baseUrl,
  protocols: [...CLIENT_PROTOCOLS],
  credentials: [{ name: 'default', sealed, weight: 1, limits: {} }],
  tags: [],
  set_headers: {},
  set_parameters: {},
  // It runs beside the gateway.
  allow_private_addresses: true,
  limits: {},
  probe_interval_s: null,
  connect_timeout_ms: 2_000,
  first_byte_timeout_ms: 60_000,
  idle_timeout_ms: 60_000,
  total_timeout_ms: 3_600_000,
  costs: {},
  cost_ratio: '0.6',
});

/** What a first start offers: models of the simulator in three groups. Prices are micro-USD per million tokens. */
export const seedCatalogue = (
  upstream: Upstream,
  serves: PricingSeedConfig['SIMULATOR_SERVES'] = 'simulated',
): Catalogue => ({
  vendors: [
    { name: 'openai', description: 'Models of the OpenAI kind', icon: '' },
    { name: 'anthropic', description: 'Models of the Anthropic kind', icon: '' },
    { name: 'google', description: 'Models of the Google kind', icon: '' },
  ],
  models: SIMULATED_MODELS,
  groups: [
    {
      name: 'default',
      description: 'Everyday use',
      ratio: '1',
      models: ['sim-chat', 'sim-responses', 'sim-claude', 'sim-gemini', 'sim-mapped'],
      limits: {},
      ...PLAIN,
    },
    {
      name: 'vip',
      description: 'Every model, a fifth cheaper',
      ratio: '0.8',
      models: ['*'],
      limits: {},
      ...PLAIN,
    },
    {
      name: 'restricted',
      description: 'One model only',
      ratio: '1',
      models: ['sim-chat'],
      limits: {},
      ...PLAIN,
    },
  ],
  upstreams: [upstream],
  pools: [
    {
      name: 'simulated',
      groups: ['*'],
      // An echo must never be sold as the answer of a real model.
      models: serves === 'every' ? ['*'] : SIMULATED_MODELS.map(({ name }) => name),
      members: [
        {
          upstream: upstream.name,
          priority: 0,
          weight: 1,
          model_map: { 'sim-mapped': 'sim-upstream-name' },
          cost_ratio: null,
        },
      ],
      strategy: 'weighted',
      attempts: 3,
      retry_percent: 20,
      hedge: false,
    },
  ],
  discounts: [],
  auto_groups: ['default', 'vip'],
  limits: {
    client: { requests_per_minute: 60_000 },
    key: { requests_per_minute: 30_000, tokens_per_minute: 50_000_000 },
    route: {},
  },
});
