import type { Pool, Upstream } from '../../api/catalogue.ts';
import {
  newMember,
  poolFaults,
  toPoolForm,
  toPool,
  upstreamFaults,
  toUpstreamForm,
  toUpstream,
} from './forms.ts';
import { toUpstreamInput } from './upstream-input.ts';

const upstream: Upstream = {
  name: 'east',
  base_url: 'https://east.example/v1',
  disabled: true,
  protocols: ['openai-chat', 'gemini'],
  credentials: [{ name: 'a', weight: 1, limits: {}, has_secret: true }],
  tags: ['eu'],
  set_headers: {},
  set_parameters: {},
  costs: {},
  allow_private_addresses: false,
  limits: { requests_per_minute: 60 },
  probe_interval_s: 30,
  connect_timeout_ms: 1_000,
  first_byte_timeout_ms: 2_000,
  idle_timeout_ms: 3_000,
  total_timeout_ms: 4_000,
  cost_ratio: '0.7',
};

test('an upstream comes out of its form as it went in, without its credentials', () => {
  const { credentials: _kept, ...rest } = upstream;
  expect(toUpstream(toUpstreamForm(upstream), toUpstreamInput(upstream))).toEqual(rest);
});

test('what the form does not show stays what it is', () => {
  const costs = { m: { prices: { input: 1, output: 2 } } };
  const more = { ...toUpstreamInput(upstream), costs, set_headers: { 'x-org': 'a' } };
  expect(toUpstream({ ...toUpstreamForm(upstream), baseUrl: 'https://b.example' }, more)).toMatchObject({
    costs,
    set_headers: { 'x-org': 'a' },
    disabled: true,
    base_url: 'https://b.example',
  });
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
  expect(upstreamFaults(toUpstreamForm(upstream), new Set(['east']))).toEqual({ name: 'nameTaken' });
});

const pool: Pool = {
  name: 'main',
  models: ['large'],
  groups: ['*'],
  strategy: 'latency',
  attempts: 2,
  retry_percent: 0,
  hedge: true,
  members: [
    {
      upstream: 'east',
      priority: 0,
      weight: 3,
      model_map: { large: 'large-2026=x', small: 's' },
      cost_ratio: '0.5',
    },
    { upstream: 'west', priority: 1, weight: 1, model_map: {}, cost_ratio: null },
  ],
};

test('a pool comes out of its form as it went in', () => {
  expect(toPool(toPoolForm(pool, ''))).toEqual(pool);
});

test('a line without both names maps nothing', () => {
  const form = toPoolForm(pool, '');
  const members = form.members.map((member) => ({ ...member, modelMap: 'a\n= b\nc =\n d = e ' }));
  expect(toPool({ ...form, members }).members[0]?.model_map).toEqual({ d: 'e' });
});

test('faults of a pool are told where they are', () => {
  const form = toPoolForm(undefined, '');
  const wrong = {
    ...form,
    everyModel: false,
    everyGroup: false,
    attempts: '',
    members: [newMember(''), { ...newMember('a'), weight: '' }],
  };
  expect(poolFaults(wrong, new Set())).toEqual({
    name: 'nameRequired',
    models: 'oneRequired',
    groups: 'oneRequired',
    attempts: 'numberRequired',
    'members.0.upstream': 'oneRequired',
    'members.1.weight': 'numberRequired',
  });
});
