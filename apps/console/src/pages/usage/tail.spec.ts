import type { RequestEntry, RequestPage } from '../../api/requests.ts';
import { withNewest } from './tail.ts';

const page = (ids: readonly number[], next: string | null = null): RequestPage => ({
  items: ids.map((id) => ({
    ...({} as RequestEntry),
    request_id: `req_${id}`,
    occurred_at: new Date(id * 1_000).toISOString(),
  })),
  next,
});
const idsOf = (pages: readonly RequestPage[] | null) =>
  pages?.map(({ items }) => items.map(({ request_id }) => Number(request_id.slice(4))));

test.each([
  [
    [[3, 2], [1]],
    [5, 4, 3],
    [[5, 4, 3, 2], [1]],
  ],
  [
    [[3, 2], [1]],
    [3, 2],
    [[3, 2], [1]],
  ],
  [[[]], [2, 1], [[2, 1]]],
  [[], [2, 1], [[2, 1]]],
])('a log of %j of which %j is the newest is %j', (before, newest, after) => {
  expect(
    idsOf(
      withNewest(
        before.map((ids) => page(ids)),
        page(newest),
      ),
    ),
  ).toEqual(after);
});

test('what is posted late stands where its time is', () => {
  expect(idsOf(withNewest([page([7, 5])], page([7, 6, 5])))).toEqual([[7, 6, 5]]);
});

test('where more came than was fetched, the log is to be loaded again', () => {
  expect(withNewest([page([3, 2])], page([9, 8], 'more'))).toBeNull();
  expect(idsOf(withNewest([page([3, 2])], page([4, 3], 'more')))).toEqual([[4, 3, 2]]);
});

test('nothing new leaves the log as it is, so that nothing is drawn', () => {
  const pages = [page([3, 2])];
  expect(withNewest(pages, page([3, 2], 'more'))).toBe(pages);
});
