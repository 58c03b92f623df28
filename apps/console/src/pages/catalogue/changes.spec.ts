import type { Catalogue, Group, Pool } from '../../api/catalogue.ts';
import type { Change } from '../../api/drafts.ts';
import {
  autoGroupsAfter,
  entriesAfter,
  findEntryStatus,
  describeSubject,
  subjectOfDifference,
  withChange,
  without,
  withRemoval,
  findFreeName,
  poolsAfter,
} from './changes.ts';

const group = (name: string, ratio = '1'): Group => ({
  name,
  ratio,
  description: '',
  models: ['*'],
  limits: {},
  fallbacks: {},
  required_tags: [],
});
const live: Catalogue = {
  vendors: [],
  models: [],
  groups: [group('default'), group('vip')],
  upstreams: [],
  pools: [],
  discounts: [],
  auto_groups: ['default'],
  limits: { client: {}, key: {}, route: {} },
};
const put = (name: string, ratio: string): Change => ({
  op: 'put',
  section: 'groups',
  entry: group(name, ratio),
});

test('a later change of an entry takes the place of an earlier one', () => {
  const changes = withChange(withChange([], put('vip', '0.9')), put('vip', '0.8'));
  expect(changes).toEqual([put('vip', '0.8')]);
  expect(entriesAfter(live, changes, 'groups')).toEqual([group('default'), group('vip', '0.8')]);
});

test('a new entry stands at the end, a removed one is gone', () => {
  const changes = withRemoval(withChange([], put('new', '2')), live, 'groups', 'default');
  expect(entriesAfter(live, changes, 'groups').map(({ name }) => name)).toEqual(['vip', 'new']);
});

test('an entry that only the draft has is removed without a trace', () => {
  expect(withRemoval([put('new', '2')], live, 'groups', 'new')).toEqual([]);
});

test('an entry is live, changed or added', () => {
  const changes = [put('vip', '0.5'), put('new', '2')];
  const statuses = ['default', 'vip', 'new'].map((name) => findEntryStatus(live, changes, 'groups', name));
  expect(statuses).toEqual(['live', 'changed', 'added']);
});

test('the last word on automatic groups holds', () => {
  expect(autoGroupsAfter(live, [])).toEqual(['default']);
  expect(autoGroupsAfter(live, [{ op: 'auto-groups', groups: ['vip'] }])).toEqual(['vip']);
});

test.each<[Change, { section: string; name: string }]>([
  [put('vip', '1'), { section: 'groups', name: 'vip' }],
  [
    { op: 'delete', section: 'models', name: 'm' },
    { section: 'models', name: 'm' },
  ],
  [
    { op: 'limits', limits: live.limits },
    { section: 'limits', name: 'key' },
  ],
  [
    { op: 'auto-groups', groups: [] },
    { section: 'auto_groups', name: 'auto' },
  ],
  [
    { op: 'discounts', account_id: 'a', discounts: [] },
    { section: 'discounts', name: 'a' },
  ],
])('a difference finds the change that made it, to take it back', (change, difference) => {
  expect(describeSubject(change)).toBe(subjectOfDifference(difference));
  expect(without([change], subjectOfDifference(difference))).toEqual([]);
});

test.each([
  [[], 'prices'],
  [[['prices', 'open']], 'prices'],
  [[['prices', 'published']], 'prices-2'],
  [
    [
      ['prices', 'published'],
      ['prices-2', 'scheduled'],
      ['prices-3', 'open'],
    ],
    'prices-3',
  ],
  [
    [
      ['prices', 'failed'],
      ['prices-2', 'published'],
    ],
    'prices-3',
  ],
  [[['prices-2', 'published']], 'prices'],
] as const)('beside %j a change goes into %s', (drafts, name) => {
  expect(
    findFreeName(
      'prices',
      drafts.map(([each, status]) => ({ name: each, status })),
    ),
  ).toBe(name);
});

const pool = (name: string, attempts = 3): Pool => ({
  name,
  groups: ['*'],
  models: ['*'],
  members: [],
  strategy: 'weighted',
  attempts,
  retry_percent: 20,
  hedge: false,
});

test('pools after a draft stand where it puts them', () => {
  const before = { ...live, pools: [pool('a'), pool('b'), pool('c')] };
  const changes: Change[] = [
    { op: 'put', section: 'pools', entry: pool('new'), before: 'b' },
    { op: 'put', section: 'pools', entry: pool('c'), before: 'a' },
    { op: 'put', section: 'pools', entry: pool('b', 1) },
    { op: 'put', section: 'pools', entry: pool('last') },
    { op: 'delete', section: 'pools', name: 'a' },
  ];
  expect(poolsAfter(before, changes)).toEqual([pool('c'), pool('new'), pool('b', 1), pool('last')]);
});
