import type { Group } from '../../api/catalogue.ts';
import { groupFaults, toGroupForm, toGroup, isRatio } from './group-form.ts';

const group: Group = {
  name: 'vip',
  description: 'A fifth cheaper',
  ratio: '0.8',
  models: ['large', 'small'],
  limits: { tokens_per_minute: 7 },
  fallbacks: { large: ['small', 'tiny'] },
  required_tags: ['eu'],
};

test.each([[group], [{ ...group, models: ['*'], fallbacks: {}, limits: {} }]])(
  'a group comes out of its form as it went in',
  (each) => {
    expect(toGroup(toGroupForm(each))).toEqual(each);
  },
);

test('a new group may use every model at the list price', () => {
  expect(toGroup({ ...toGroupForm(undefined), name: ' new ' })).toMatchObject({
    name: 'new',
    ratio: '1',
    models: ['*'],
  });
});

test('faults are told where they are', () => {
  const form = toGroupForm(group);
  const wrong = {
    ...form,
    ratio: '80%',
    models: [],
    fallbacks: [...form.fallbacks, { model: 'large', fallbackModels: ['x'] }],
  };
  expect(groupFaults(wrong, new Set(['vip']))).toEqual({
    name: 'nameTaken',
    ratio: 'ratioRequired',
    models: 'modelsRequired',
    'fallbacks.1.model': 'twice',
  });
});

test.each([
  ['1', true],
  ['0.85', true],
  ['.5', false],
  ['0,5', false],
  ['-1', false],
  ['', false],
])('"%s" is a ratio: %s', (text, is) => {
  expect(isRatio(text)).toBe(is);
});
