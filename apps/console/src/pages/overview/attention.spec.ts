import type { Pool } from '../../api/catalogue.ts';
import { listConcerns } from './attention.ts';

const unknown = { health: undefined, catalogue: undefined, overview: undefined, system: undefined };
const target = (upstream: string, state: 'ready' | 'disabled' | 'ejected') => ({
  upstream,
  credential: 'main',
  state,
});
const idle: Pool = {
  name: 'idle',
  groups: ['*'],
  models: ['*'],
  members: [],
  strategy: 'weighted',
  attempts: 1,
  retry_percent: 0,
  hedge: false,
};
const part = { up: true, latency_ms: 1, error: null, state: null };

test('of what is not known nothing is said', () => {
  expect(listConcerns(unknown)).toEqual([]);
});

test('refused credentials and ejected upstreams are told, those that are well are not', () => {
  const upstreams = [target('a', 'ready'), target('b', 'disabled'), target('c', 'ejected')];
  expect(listConcerns({ ...unknown, health: { upstreams } })).toEqual([
    { kind: 'credential_refused', name: 'b / main' },
    { kind: 'upstream_ejected', name: 'c' },
  ]);
});

test('what nobody can call, and services that do not answer', () => {
  const catalogue = { models: [], groups: [], pools: [idle] };
  const system = { pricing: { ...part, up: false }, postgres: part, redis: part, queue: part, audit: null };
  const overview = {
    running_dry: [{ account_id: 'a', account_name: 'Acme', left_usd: '1', spent_a_day_usd: '2' }],
  };
  expect(listConcerns({ ...unknown, catalogue, overview, system })).toEqual([
    { kind: 'service_down', name: 'pricing' },
    { kind: 'running_dry', name: 'Acme', id: 'a', leftUsd: '1' },
    { kind: 'pool_never_reached', name: 'idle' },
  ]);
});
