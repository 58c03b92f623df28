import type { PricedModel } from '../../api/pricing.ts';
import { toLanes, NO_SETTINGS, offeredModels, ownFormat, readSettings } from './setup.ts';
import { exampleModel } from '../../shared/example-prices.ts';

const model = (model_name: string, owner_by: string, more: Partial<PricedModel> = {}) =>
  exampleModel({ model_name, owner_by, supported_endpoint_types: ['openai'], ...more });
const models = [model('sim-chat', 'openai'), model('sim-claude', 'anthropic'), model('sim-gemini', 'google')];

test.each([
  ['', null, false],
  [' 0.7 ', 0.7, false],
  ['0', 0, false],
  ['2', 2, false],
  ['2.1', 2.1, true],
  ['-1', -1, true],
  ['warm', Number.NaN, true],
])('the temperature "%s" is %d, and wrong: %s', (temperature, value, isWrong) => {
  const read = readSettings({ ...NO_SETTINGS, temperature });
  expect([read.temperature, read.faults.temperature]).toEqual([value, isWrong]);
});

test.each([
  ['', null, false],
  ['64', 64, false],
  ['0', 0, true],
  ['1.5', 1.5, true],
  ['1e9', 1e9, true],
])('the most tokens "%s" are %d, and wrong: %s', (maxTokens, value, isWrong) => {
  const read = readSettings({ ...NO_SETTINGS, maxTokens });
  expect([read.maxTokens, read.faults.maxTokens]).toEqual([value, isWrong]);
});

test('tools that cannot be read are a fault, and none of them is sent', () => {
  expect(readSettings({ ...NO_SETTINGS, tools: '[' })).toMatchObject({ tools: [], faults: { tools: true } });
});

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
    { model: 'sim-claude', beside: 'sim-gemini', besideFormat: 'openai' as const },
    [
      ['sim-claude', 'anthropic'],
      ['sim-gemini', 'openai'],
    ],
  ],
])('the address %j asks %j', (search, lanes) => {
  expect(toLanes(search, models).map((lane) => [lane.model, lane.format])).toEqual(lanes);
});

test('where there is no model there is nothing to ask', () => {
  expect(toLanes({ model: 'a', beside: 'b' }, [])).toEqual([]);
});
