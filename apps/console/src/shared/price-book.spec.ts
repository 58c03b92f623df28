import { firstGroup } from './price-book.ts';

test.each([
  [{ vip: 0.8, default: 1 }, 'default'],
  [{ partner: 2, vip: 0.8 }, 'partner'],
  [{}, undefined],
])('of the groups %j a visitor sees the prices of %s first', (group_ratio, group) => {
  expect(firstGroup({ group_ratio })).toBe(group);
});
