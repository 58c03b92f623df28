import fc from 'fast-check';
import type { Row } from './columns.ts';
import { RowFeed } from './row-feed.ts';
import type { Batch } from './sources/source.ts';

const rowsOf = (keys: readonly number[]): Row[] => keys.map((key, index) => [String(key), String(index)]);

async function* inBatches(keys: readonly number[], size: number): AsyncGenerator<Batch> {
  const rows = rowsOf(keys);
  for (let start = 0; start < keys.length; start += size)
    yield await Promise.resolve({
      rows: rows.slice(start, start + size),
      keys: keys.slice(start, start + size),
    });
}

/** The keys in each file, and the last key when it ended. */
async function files(keys: readonly number[], size: number, partRows: number, afterKey = 0) {
  const feed = new RowFeed(inBatches(keys, size), afterKey);
  const found: { rows: Row[]; lastKey: number }[] = [];
  while (await feed.more()) {
    const rows: Row[] = [];
    for await (const taken of feed.part(partRows)) rows.push(...taken);
    found.push({ rows, lastKey: feed.lastKey });
  }
  return found;
}

test('files end after so many rows, but never between rows of one key', async () => {
  const found = await files([1, 1, 1, 2, 3, 3, 4], 2, 2);
  expect(found.map(({ rows }) => rows.map(([key]) => Number(key)))).toEqual([[1, 1, 1], [2, 3, 3], [4]]);
});

test('the files are the same however the rows come, and none is lost; going on behind one gives those that follow', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 12 }),
      async (steps, size, partRows) => {
        let key = 1;
        const keys = steps.map((step) => (key += step));
        const whole = await files(keys, 1_000, partRows);
        expect(await files(keys, size, partRows)).toEqual(whole);
        expect(whole.flatMap(({ rows }) => rows)).toEqual(rowsOf(keys));
        for (const [index, { rows, lastKey }] of whole.entries()) {
          const last = index === whole.length - 1;
          if (!last) expect(rows.length).toBeGreaterThanOrEqual(partRows);
          const rest = await files(
            keys.filter((each) => each > lastKey),
            size,
            partRows,
            lastKey,
          );
          expect(rest.map((file) => file.rows.map(([each]) => each))).toEqual(
            whole.slice(index + 1).map((file) => file.rows.map(([each]) => each)),
          );
        }
      },
    ),
  );
});
