import { completePriceList } from '@tollgate/catalogue/complete-prices';
import type { Model, Upstream } from '../../api/catalogue.ts';
import { startCost } from './cost-form.ts';
import { asksForSecrets, toUpstream, toUpstreamForm, upstreamFaults } from './upstream-form.ts';

const list = {
  prices: { input: 3_000_000, cache_read: 300_000, output: 15_000_000, output_audio: 60_000_000 },
  tiers: [{ above_input_tokens: 200_000, prices: { input: 6_000_000, output: 22_500_000 } }],
  request_price: 1_500,
  unit_prices: { searches: 10_000_000_000, images: 40_000_000_000, audio_milliseconds: 100_000 },
  service_tiers: { priority: '2', flex: '0.5' },
  regions: { us: '1.1', 'eu-west': '1.15' },
};

/** With every field that there is: what a form forgets is lost by the next edit of anything else. */
const upstream: Required<Upstream> = {
  name: 'east',
  base_url: 'https://east.example/v1',
  disabled: true,
  protocols: ['openai-chat', 'anthropic-messages'],
  auth: { kind: 'static', header: 'api-key', prefix: 'Bearer ' },
  paths: {
    'openai-chat': {
      generate: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
      stream: '/stream',
      count: '/count',
      models: '/models',
      embed: '/embeddings',
      rerank: '/rerank',
      moderate: '/moderations',
    },
    'anthropic-messages': { generate: '/anthropic' },
  },
  model_lists: ['https://lists.example/models?pageSize=200', 'https://east.example/more'],
  wrapping: { 'anthropic-messages': 'vertex' },
  dialects: { 'openai-chat': { sampling: 'none' } },
  task_formats: { embed: 'cohere' },
  max_inputs: 96,
  credentials: [{ name: 'a', weight: 2, limits: { requests_per_minute: 5 }, has_secret: true }],
  tags: ['eu'],
  set_headers: { 'x-org': 'a' },
  set_parameters: { store: false },
  allow_private_addresses: true,
  limits: { requests_per_minute: 60, tokens_per_minute: 5, concurrent_requests: 4 },
  probe_interval_s: 30,
  connect_timeout_ms: 1_000,
  first_byte_timeout_ms: 2_000,
  idle_timeout_ms: 3_000,
  total_timeout_ms: 4_000,
  costs: {
    'acme-large': completePriceList(list),
    'acme-draws': completePriceList({ ...list, prices: { input: 5_000_000, output: 40_000_000 }, tiers: [] }),
  },
  cost_ratio: '0.7',
  reports_cost: true,
};

/** As the service completes it. */
const saved = (form: ReturnType<typeof toUpstreamForm>, existing?: Upstream) => {
  const { costs = {}, ...input } = toUpstream(form, existing);
  const complete = Object.entries(costs).map(([model, { tiers = [], ...cost }]) => {
    const withBase = (prices: Record<string, number>) => ({ input: 0, output: 0, ...prices });
    return [
      model,
      completePriceList({
        ...cost,
        prices: withBase(cost.prices),
        tiers: tiers.map((tier) => ({ ...tier, prices: withBase(tier.prices) })),
      }),
    ];
  });
  return { ...input, costs: Object.fromEntries(complete) };
};

const AUTHS: readonly NonNullable<Upstream['auth']>[] = [
  upstream.auth,
  {
    kind: 'aws',
    region: 'eu-central-1',
    service: 'bedrock-mantle',
    role_arn: 'arn:aws:iam::123456789012:role/relay',
    external_id: 'tollgate',
  },
  { kind: 'google', scope: 'https://www.googleapis.com/auth/cloud-platform', quota_project: 'acme' },
  {
    kind: 'azure',
    scope: 'https://ai.azure.com/.default',
    tenant_id: 'acme.example',
    client_id: '00000000-0000-0000-0000-000000000001',
    authority: 'https://login.microsoftonline.us',
  },
];

test.each(AUTHS)('an upstream with every field, and $kind, comes out of its form as it went in', (auth) => {
  const { credentials: _kept, ...rest } = { ...upstream, auth };
  const form = toUpstreamForm({ ...upstream, auth });
  expect(saved(form, { ...upstream, auth })).toEqual(rest);
  expect(upstreamFaults(form, new Set(), { ...upstream, auth })).toEqual({});
});

test('one that says nothing of all that goes on saying nothing', () => {
  const {
    auth: _a,
    paths: _p,
    model_lists: _l,
    wrapping: _w,
    reports_cost: _r,
    credentials: _c,
    ...plain
  } = upstream;
  const existing = { ...plain, credentials: [] };
  expect(saved(toUpstreamForm(existing), existing)).toEqual(plain);
});

test('what is taken out of the form is taken out of the upstream', () => {
  const form = {
    ...toUpstreamForm(upstream),
    authKind: 'own' as const,
    wrapping: 'none' as const,
    modelLists: ' ',
    costs: [],
  };
  const cleared = toUpstream({ ...form, protocols: ['gemini'] }, upstream);
  expect(cleared).toMatchObject({ costs: {}, set_headers: { 'x-org': 'a' }, disabled: true });
  for (const field of ['auth', 'paths', 'model_lists', 'wrapping']) expect(cleared).not.toHaveProperty(field);
});

test('costs begin as list prices, without what else a model says', () => {
  const model: Model = {
    ...completePriceList(list),
    name: 'acme-large',
    vendor: 'acme',
    description: 'Talks much',
    tags: [],
    context_window: null,
    max_output_tokens: 1,
    limits: {},
    features: { web_search: 'priced' },
  };
  const costs = [startCost(model)];
  expect(saved({ ...toUpstreamForm(upstream), costs }, upstream).costs).toEqual({
    'acme-large': completePriceList(list),
  });
});

test.each([
  ['another host', { baseUrl: 'https://elsewhere.example' }, true],
  ['another path', { baseUrl: 'https://east.example/v2' }, false],
  ['another cloud', { authKind: 'google' as const }, true],
  ['another list of models', { modelLists: 'https://elsewhere.example/models' }, true],
  ['a list of models at a known host', { modelLists: 'https://lists.example/all' }, false],
  ['another header', { auth: { ...toUpstreamForm(upstream).auth, header: 'x-key' } }, false],
])('secrets for %s are asked for again where others would see them', (_what, change, asked) => {
  const form = { ...toUpstreamForm(upstream), ...change };
  expect(asksForSecrets(form, upstream)).toBe(asked);
  expect(upstreamFaults(form, new Set(), upstream)).toEqual(asked ? { 'secrets.0': 'secretRequired' } : {});
  expect(toUpstream({ ...form, secrets: [' new '] }, upstream).credentials).toEqual([
    { name: 'a', weight: 2, limits: { requests_per_minute: 5 }, secret: 'new' },
  ]);
});

test('a new upstream takes its first credential from the form, and may have none', () => {
  const form = { ...toUpstreamForm(undefined), name: 'new', baseUrl: 'https://new.example' };
  expect(toUpstream(form, undefined)).not.toHaveProperty('credentials');
  expect(toUpstream({ ...form, secrets: ['sk'] }, undefined).credentials).toEqual([
    { name: 'default', weight: 1, limits: {}, secret: 'sk' },
  ]);
});

test('faults of an upstream are told where they are', () => {
  const form = { ...toUpstreamForm(undefined), protocols: [], costRatio: '70%', idleMs: '' };
  expect(upstreamFaults(form, new Set())).toEqual({
    name: 'nameRequired',
    baseUrl: 'urlRequired',
    protocols: 'oneRequired',
    costRatio: 'ratioRequired',
    idleMs: 'numberRequired',
  });
  const cloud = {
    ...toUpstreamForm(undefined),
    name: 'a',
    baseUrl: 'https://a.example',
    authKind: 'aws' as const,
  };
  const paths = { ...cloud.paths, 'openai-chat': { ...cloud.paths['openai-chat'], generate: 'v1/chat' } };
  expect(upstreamFaults({ ...cloud, paths }, new Set())).toEqual({
    'auth.region': 'fieldRequired',
    'paths.openai-chat.generate': 'pathRequired',
    'secrets.0': 'secretRequired',
  });
  expect(upstreamFaults(toUpstreamForm(upstream), new Set(['east']), upstream)).toEqual({
    name: 'nameTaken',
  });
});
