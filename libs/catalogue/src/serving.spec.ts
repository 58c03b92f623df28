import fc from 'fast-check';
import {
  computeServing,
  findPool,
  listServingWarnings,
  mayUse,
  type ServingCatalogue,
  type ServingPool,
} from './serving.ts';

const pool = (name: string, models: readonly string[], groups: readonly string[] = ['*']): ServingPool => ({
  name,
  models,
  groups,
});

const CATALOGUE: ServingCatalogue = {
  models: ['small', 'large', 'new', 'lost'].map((name) => ({ name })),
  groups: [
    { name: 'default', models: ['small', 'large', 'lost'] },
    { name: 'vip', models: ['small', 'large'] },
  ],
  pools: [
    pool('vip only', ['large'], ['vip']),
    pool('first', ['small', 'large']),
    pool('second', ['*'], ['vip']),
    pool('third', ['new']),
  ],
};

test('a model is listed with its pools in their order, each with the groups it serves it for', () => {
  const { models } = computeServing(CATALOGUE);
  expect(models.get('large')).toEqual({
    groups: ['default', 'vip'],
    pools: [
      { pool: 'vip only', groups: ['vip'] },
      { pool: 'first', groups: ['default'] },
    ],
    unserved: [],
  });
  expect(models.get('lost')).toEqual({ groups: ['default'], pools: [], unserved: ['default'] });
  expect(models.get('new')).toEqual({ groups: [], pools: [], unserved: [] });
});

test('a pool is listed with what reaches it, and with those in front of it that take what it has', () => {
  const { pools } = computeServing(CATALOGUE);
  expect(pools.get('first')).toEqual({ models: ['small', 'large'], behind: ['vip only'] });
  expect(pools.get('second')).toEqual({ models: [], behind: ['first', 'vip only'] });
  expect(pools.get('third')).toEqual({ models: [], behind: [] });
});

test('what nobody can call and what gets no requests is warned of', () => {
  expect(listServingWarnings(CATALOGUE)).toEqual([
    { code: 'model_in_no_group', name: 'new' },
    { code: 'model_in_no_pool', name: 'lost' },
    { code: 'pool_never_reached', name: 'second' },
    { code: 'pool_never_reached', name: 'third' },
  ]);
});

const names = (of: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom('*', ...of), { minLength: 1, maxLength: 3 });
const MODELS = ['a', 'b', 'c'];
const GROUPS = ['x', 'y'];

test('every model and group that may use it stands in exactly the pool that serves it, or in none', () => {
  const pools = fc.array(fc.record({ models: names(MODELS), groups: names(GROUPS) }), { maxLength: 4 });
  fc.assert(
    fc.property(pools, fc.array(names(MODELS), { minLength: 2, maxLength: 2 }), (of, usable) => {
      const catalogue = {
        models: MODELS.map((name) => ({ name })),
        groups: GROUPS.map((name, index) => ({ name, models: usable[index] ?? [] })),
        pools: of.map((each, index) => ({ ...each, name: `pool ${index}` })),
      };
      const { models } = computeServing(catalogue);
      for (const model of MODELS)
        for (const group of catalogue.groups.filter((each) => mayUse(each, model))) {
          const serving = models.get(model);
          const listed = serving?.pools.filter(({ groups }) => groups.includes(group.name));
          const serves = findPool(catalogue.pools, group.name, model);
          expect(listed?.map(({ pool: by }) => by)).toEqual(serves ? [serves.name] : []);
          expect(serving?.unserved.includes(group.name)).toBe(serves === undefined);
        }
    }),
  );
});
