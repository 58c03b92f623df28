import fc from 'fast-check';
import type { Row } from './columns.ts';
import { toPages } from './pages.ts';
import type { Batch, Start } from './sources/source.ts';

const rowsOf = (keys: readonly number[]): Row[] => keys.map((key, index) => [String(key), String(index)]);

async function* inBatches(keys: readonly number[], size: number): AsyncGenerator<Batch> {
  const rows = rowsOf(keys);
  for (let start = 0; start < keys.length; start += size)
    yield await Promise.resolve({
      rows: rows.slice(start, start + size),
      keys: keys.slice(start, start + size),
    });
}

/** The rows of each file, and its last key. */
async function files(keys: readonly number[], size: number, start: Partial<Start> & { partRows: number }) {
  const found: { rows: Row[]; lastKey: number }[] = [];
  for await (const page of toPages(inBatches(keys, size), { afterKey: 0, rowsInPart: 0, ...start })) {
    const rows = 'rows' in page.content ? page.content.rows : [];
    const file = page.beginsPart ? undefined : found.pop();
    found.push({ rows: [...(file?.rows ?? []), ...rows], lastKey: page.lastKey });
  }
  return found;
}

test('files end after so many rows, but never between rows of one key', async () => {
  const found = await files([1, 1, 1, 2, 3, 3, 4], 2, { partRows: 2 });
  expect(found.map(({ rows }) => rows.map(([key]) => Number(key)))).toEqual([[1, 1, 1], [2, 3, 3], [4]]);
});

test('a file that has rows already is filled up', async () => {
  const found = await files([3, 3, 4, 5], 2, { partRows: 4, rowsInPart: 3, afterKey: 2 });
  expect(found.map(({ rows }) => rows.map(([key]) => Number(key)))).toEqual([
    [3, 3],
    [4, 5],
  ]);
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
        const whole = await files(keys, 1_000, { partRows });
        expect(await files(keys, size, { partRows })).toEqual(whole);
        expect(whole.flatMap(({ rows }) => rows)).toEqual(rowsOf(keys));
        for (const [index, { rows, lastKey }] of whole.entries()) {
          const last = index === whole.length - 1;
          if (!last) expect(rows.length).toBeGreaterThanOrEqual(partRows);
          const rest = await files(
            keys.filter((each) => each > lastKey),
            size,
            { partRows, afterKey: lastKey },
          );
          expect(rest.map((file) => file.rows.map(([each]) => each))).toEqual(
            whole.slice(index + 1).map((file) => file.rows.map(([each]) => each)),
          );
        }
      },
    ),
  );
});
