import type { Group, Model, Pool } from '../../api/catalogue.ts';
import { findFirstSteps, hasRealAnswer } from './first-steps.ts';

const model = (name: string): Model => ({
  name,
  vendor: 'acme',
  description: '',
  tags: [],
  prices: {},
  tiers: [],
  request_price: 0,
  context_window: null,
  max_output_tokens: null,
  limits: {},
});
const group: Group = {
  name: 'default',
  ratio: '1',
  description: '',
  models: ['*'],
  limits: {},
  fallbacks: {},
  required_tags: [],
};
const pool = (name: string, upstream: string, models: string[]): Pool => ({
  name,
  groups: ['*'],
  models,
  members: [{ upstream, priority: 0, weight: 1, model_map: {}, cost_ratio: null }],
  strategy: 'weighted',
  attempts: 1,
  retry_percent: 0,
  hedge: false,
});
const simulated = {
  models: [model('sim-chat')],
  groups: [group],
  upstreams: [{ name: 'simulator' }],
  pools: [pool('simulated', 'simulator', ['sim-chat'])],
};

test('the simulator is no provider, and its models are no real ones', () => {
  expect(findFirstSteps(simulated)).toEqual({ provider: false, model: undefined });
});

test('a provider is there before any of its models can be called', () => {
  const upstreams = [...simulated.upstreams, { name: 'acme' }];
  expect(findFirstSteps({ ...simulated, upstreams })).toEqual({ provider: true, model: undefined });
  const served = {
    ...simulated,
    upstreams,
    models: [...simulated.models, model('large')],
    pools: [...simulated.pools, pool('acme', 'acme', ['large'])],
  };
  expect(findFirstSteps(served)).toEqual({ provider: true, model: 'large' });
});

test('a real answer is one of another upstream than the simulator', () => {
  const of = (upstream: string, requests: number) => ({
    upstream,
    requests,
    revenue_usd: '0',
    upstream_cost_usd: '0',
    margin_usd: '0',
    requests_of_unknown_cost: 0,
    first_byte_ms: null,
    latency_ms: null,
  });
  expect(hasRealAnswer({ upstreams: [of('simulator', 9), of('acme', 0)] })).toBe(false);
  expect(hasRealAnswer({ upstreams: [of('simulator', 9), of('acme', 1)] })).toBe(true);
});
