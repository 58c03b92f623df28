import { countUnseen } from './seen-notices.ts';

test.each([
  [null, ['a', 'b'], 2],
  ['["a"]', ['a', 'b'], 1],
  ['["a","b","c"]', ['a', 'b'], 0],
  ['{', ['a'], 1],
  ['7', ['a'], 1],
])('of what is remembered as %s, %j holds %i that are new', (kept, ids, unseen) => {
  expect(
    countUnseen(
      kept,
      ids.map((id) => ({ id })),
    ),
  ).toBe(unseen);
});
