import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { createGroupCommit } from './group-commit.ts';

/** A commit that ends when it is told to, and what it was given. */
function slowCommit() {
  const groups: (readonly number[])[] = [];
  const ends: { done: () => void; fail: (error: Error) => void }[] = [];
  const commit = (items: readonly number[]) =>
    new Promise<void>((done, fail) => {
      groups.push(items);
      ends.push({ done, fail });
    });
  return { groups, ends, commit };
}

test('items that come while a commit is under way share the next', async () => {
  const { groups, ends, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 100 });
  const added = [1, 2, 3, 4].map((item) => group.add(item));
  expect(groups).toEqual([[1]]);
  expect(group.pending()).toBe(4);
  ends[0]?.done();
  await added[0];
  await Promise.resolve();
  expect(groups).toEqual([[1], [2, 3, 4]]);
  ends[1]?.done();
  await Promise.all(added);
  expect(group.pending()).toBe(0);
});

test('a group is no larger than the most, by the size of its items, and none is left out or turned round', async () => {
  const groups: (readonly number[])[] = [];
  const group = createGroupCommit<number>(
    async (items) => {
      groups.push(items);
      await sleep(1);
    },
    { maxSize: 10, measure: (size) => size },
  );
  const items = [3, 8, 2, 1, 25, 4, 4, 4, 10];
  await Promise.all(items.map((item) => group.add(item)));
  expect(groups).toEqual([[3], [8, 2], [1], [25], [4, 4], [4], [10]]);
});

test('with a time to gather, items that come apart go together', async () => {
  const { groups, ends, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 100, gatherMs: 40 });
  const first = group.add(1);
  // Timers of one process fire in the order in which they are due, however late.
  await sleep(5);
  expect(groups).toEqual([]);
  const second = group.add(2);
  await waitFor(() => groups.length > 0, 'the group');
  expect(groups).toEqual([[1, 2]]);
  ends[0]?.done();
  await Promise.all([first, second]);
});

test('groups that are to be apart: a few who come alone do not wait, who comes soon after goes with the others', async () => {
  const { groups, ends, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 3, apartMs: 400 });
  const beganAt = performance.now();
  for (const item of [1, 2, 3, 4]) {
    const added = group.add(item);
    expect(groups.at(-1)).toEqual([item]);
    ends.at(-1)?.done();
    await added;
  }
  const more = [group.add(5), group.add(6)];
  expect(groups).toHaveLength(4);
  await waitFor(() => groups.length === 5, 'the group of a crowd');
  expect(groups[4]).toEqual([5, 6]);
  // Timers of Node may fire a millisecond early.
  expect(performance.now() - beganAt).toBeGreaterThan(398);
  ends[4]?.done();
  await Promise.all(more);
});

test('groups that are to be apart: one that is full does not wait', async () => {
  const { groups, ends, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 3, apartMs: 600_000 });
  for (const item of [1, 2, 3, 4]) {
    const added = group.add(item);
    ends.at(-1)?.done();
    await added;
  }
  void group.add(7);
  void group.add(8);
  expect(groups).toHaveLength(4);
  void group.add(9);
  expect(groups[4]).toEqual([7, 8, 9]);
});

test('however long they rest, no more than a few groups start at once', async () => {
  const { groups, ends, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 100, apartMs: 600_000 });
  await sleep(400);
  for (let item = 0; item < 5; item += 1) {
    void group.add(item);
    ends.at(-1)?.done();
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(groups).toHaveLength(4);
});

test('a full group does not wait', () => {
  const { groups, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 2, gatherMs: 60_000 });
  void group.add(1);
  expect(groups).toEqual([]);
  void group.add(2);
  expect(groups).toEqual([[1, 2]]);
});

test('a commit that fails fails its group alone', async () => {
  const { ends, commit } = slowCommit();
  const group = createGroupCommit(commit, { maxSize: 1 });
  const [first, second] = [group.add(1), group.add(2)];
  ends[0]?.fail(new Error('no room'));
  await expect(first).rejects.toThrow('no room');
  ends[1]?.done();
  await expect(second).resolves.toBeUndefined();
});
