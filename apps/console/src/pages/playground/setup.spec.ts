import type { PricedModel } from '../../api/pricing.ts';
import { offeredModels, ownFormat, toLanes, toSearch } from './setup.ts';
import { exampleModel } from '../../shared/example-prices.ts';

const model = (model_name: string, owner_by: string, more: Partial<PricedModel> = {}) =>
  exampleModel({ model_name, owner_by, supported_endpoint_types: ['openai'], ...more });
const models = [model('sim-chat', 'openai'), model('sim-claude', 'anthropic'), model('sim-gemini', 'google')];

test('only models that the group has, that converse and that something serves are offered', () => {
  const data = [
    ...models,
    model('vip', 'openai', { enable_groups: ['vip'] }),
    model('embedding', 'openai', { operations: ['embed', 'rerank'] }),
    model('unserved', 'openai', { supported_endpoint_types: [] }),
  ];
  expect(offeredModels({ data }, 'default')).toEqual(models);
});

test.each([
  ['gpt', 'openai', 'openai'],
  ['sim-responses', 'openai', 'openai-response'],
  ['claude-x', 'reseller', 'anthropic'],
  ['x', 'Anthropic', 'anthropic'],
  ['gemini-x', 'google', 'gemini'],
])('%s of %s is asked as %s unless another format is chosen', (name, maker, format) => {
  expect(ownFormat(model(name, maker))).toBe(format);
});

test.each([
  [{}, [['sim-chat', 'openai']]],
  [{ model: 'sim-claude' }, [['sim-claude', 'anthropic']]],
  [{ model: 'gone' }, [['sim-chat', 'openai']]],
  [{ model: 'sim-claude', format: 'gemini' as const }, [['sim-claude', 'gemini']]],
  [
    { model: 'sim-claude', beside: ['sim-gemini@openai', 'sim-chat', 'gone@gemini'] },
    [
      ['sim-claude', 'anthropic'],
      ['sim-gemini', 'openai'],
      ['sim-chat', 'openai'],
      ['sim-chat', 'gemini'],
    ],
  ],
  [{ beside: ['a', 'b', 'c', 'd', 'e'] }, Array.from({ length: 4 }, () => ['sim-chat', 'openai'])],
])('the address %j asks %j', (search, lanes) => {
  expect(toLanes(search, models).map((lane) => [lane.model, lane.format])).toEqual(lanes);
});

test('lanes stand in the address as they are', () => {
  const search = { model: 'sim-claude', beside: ['sim-gemini@openai', 'sim-chat@openai'] };
  const lanes = toLanes(search, models);
  expect(toLanes(toSearch(lanes), models)).toEqual(lanes);
});

test('where there is no model there is nothing to ask', () => {
  expect(toLanes({ model: 'a', beside: ['b'] }, [])).toEqual([]);
});
