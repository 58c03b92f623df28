import type { Pool } from '../../api/catalogue.ts';
import { newMember, poolFaults, toPool, toPoolForm } from './pool-form.ts';

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
