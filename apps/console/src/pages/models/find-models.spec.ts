import { findModels, listPurposes } from './find-models.ts';
import { exampleBook, exampleModel } from '../../shared/example-prices.ts';

const model = (model_name: string, owner_by: string, enable_groups: string[], description = '') =>
  exampleModel({ model_name, owner_by, enable_groups, description, tags: 'chat,fast' });

const book = exampleBook({
  data: [
    model('acme-large', 'acme', ['default', 'vip'], 'Thinks long'),
    model('acme-small', 'acme', ['default']),
    { ...model('umbra-one', 'umbra', ['vip']), operations: ['rerank', 'embed'] },
  ],
  group_ratio: { vip: 0.8, default: 1 },
});

test.each([
  [{}, ['acme-large', 'acme-small', 'umbra-one']],
  [{ find: 'ACME' }, ['acme-large', 'acme-small']],
  [{ find: 'long acme' }, ['acme-large']],
  [{ find: 'fast umbra' }, ['umbra-one']],
  [{ find: 'nothing' }, []],
  [{ vendor: 'umbra' }, ['umbra-one']],
  [{ operation: 'embed' }, ['umbra-one']],
  [{ operation: 'generate' }, ['acme-large', 'acme-small']],
  [{ operation: 'paint' }, []],
  [{ group: 'vip' }, ['acme-large', 'umbra-one']],
  [{ group: 'vip', vendor: 'acme', find: 'large' }, ['acme-large']],
])('%j finds %j', (search, names) => {
  expect(findModels(book, search).map(({ model_name }) => model_name)).toEqual(names);
});

test('what models are for is told once, conversations first', () => {
  expect(listPurposes(book)).toEqual(['generate', 'embed', 'rerank']);
});
