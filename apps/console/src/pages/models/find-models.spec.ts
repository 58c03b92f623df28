import type { PriceBook, PricedModel } from '../../api/pricing.ts';
import { findModels } from './find-models.ts';

const model = (
  model_name: string,
  owner_by: string,
  enable_groups: string[],
  description = '',
): PricedModel => ({
  model_name,
  owner_by,
  enable_groups,
  description,
  tags: 'chat,fast',
  supported_endpoint_types: [],
  context_window: null,
  max_output_tokens: null,
  prices: {},
  tiers: [],
  request_price: 0,
});

const book: PriceBook = {
  data: [
    model('acme-large', 'acme', ['default', 'vip'], 'Thinks long'),
    model('acme-small', 'acme', ['default']),
    model('umbra-one', 'umbra', ['vip']),
  ],
  vendors: [],
  group_ratio: { vip: 0.8, default: 1 },
  usable_group: {},
  supported_endpoint: {},
  snapshot_version: 1,
  published_at: '2026-11-21T00:00:00Z',
};

test.each([
  [{}, ['acme-large', 'acme-small', 'umbra-one']],
  [{ find: 'ACME' }, ['acme-large', 'acme-small']],
  [{ find: 'long acme' }, ['acme-large']],
  [{ find: 'fast umbra' }, ['umbra-one']],
  [{ find: 'nothing' }, []],
  [{ vendor: 'umbra' }, ['umbra-one']],
  [{ group: 'vip' }, ['acme-large', 'umbra-one']],
  [{ group: 'vip', vendor: 'acme', find: 'large' }, ['acme-large']],
])('%j finds %j', (search, names) => {
  expect(findModels(book, search).map(({ model_name }) => model_name)).toEqual(names);
});
