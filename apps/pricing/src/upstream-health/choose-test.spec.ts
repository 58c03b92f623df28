import { makeMember, makeModel, makePool, smallCatalogue, makeUpstream } from '../../testing/catalogues.ts';
import { chooseTest, type TestRequest } from './choose-test.ts';

const credentials = ['one', 'two'].map((name) => ({ name, sealed: 's', weight: 1, limits: {} }));
const catalogue = {
  ...smallCatalogue(),
  models: [
    ...['large', 'small'].map((name) => makeModel(name, { input: 1, output: 1 })),
    { ...makeModel('vectors', { input: 1, output: 0 }), operations: ['embed' as const] },
  ],
  upstreams: [
    makeUpstream('east', { credentials }),
    makeUpstream('open'),
    makeUpstream('idle'),
    makeUpstream('embedder'),
    makeUpstream('priced', { costs: { large: makeModel('large', { input: 1, output: 1 }) } }),
  ],
  pools: [
    makePool('named', {
      models: ['small'],
      members: [makeMember('east', { model_map: { small: 'tiny-1' } })],
    }),
    makePool('embeds', { models: ['vectors'], members: [makeMember('embedder')] }),
    makePool('all', { members: [makeMember('open'), makeMember('east')] }),
  ],
};

test.each<[string, string, TestRequest, object]>([
  [
    'the first of everything, by the name that the upstream knows',
    'east',
    {},
    {
      test: { upstream: 'east', credential: 'one', protocol: 'openai-chat', model: 'tiny-1' },
      model: 'small',
    },
  ],
  [
    'what is named',
    'east',
    { credential: 'two', protocol: 'anthropic-messages', model: 'large' },
    {
      test: { upstream: 'east', credential: 'two', protocol: 'anthropic-messages', model: 'large' },
      model: 'large',
    },
  ],
  ['no credential where none is wanted', 'open', {}, { test: { credential: null, model: 'large' } }],
  ['a model that no pool sends there, by its own name', 'idle', { model: 'x-1' }, { test: { model: 'x-1' } }],
  ['a model that it has costs of, while no pool sends anything', 'priced', {}, { test: { model: 'large' } }],
  [
    'what the model is for, by the catalogue',
    'embedder',
    {},
    { test: { model: 'vectors', operation: 'embed' }, model: 'vectors' },
  ],
  [
    'what the model is for, by its name',
    'idle',
    { model: 'text-embedding-3-small' },
    { test: { operation: 'embed' } },
  ],
  ['no such credential', 'east', { credential: 'three' }, { param: 'credential' }],
  ['no such protocol', 'east', { protocol: 'gemini' }, { param: 'protocol' }],
  ['no model where no pool sends anything', 'idle', {}, { param: 'model' }],
])('a test takes %s', (_what, name, params, chosen) => {
  expect(chooseTest(catalogue, name, params)).toMatchObject(chosen);
});

test('an upstream that is not there is none', () => {
  expect(chooseTest(catalogue, 'west', {})).toBeUndefined();
});

test('a model that holds conversations too is asked for one', () => {
  const chosen = chooseTest(catalogue, 'east', { model: 'large' });
  expect(chosen).toMatchObject({ test: expect.not.objectContaining({ operation: expect.anything() }) });
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'a test of a model %s asks for it by its name',
  (name) => {
    const models = [makeModel(name, { input: 1, output: 1 })];
    const pools = [makePool('all', { members: [makeMember('open')] })];
    expect(chooseTest({ ...catalogue, models, pools }, 'open', { model: name })).toMatchObject({
      test: { model: name },
    });
  },
);
