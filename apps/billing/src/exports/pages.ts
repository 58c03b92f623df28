import type { Batch, Page, Start } from './sources/source.ts';

/** Hands the rows of batches out in pages that are each of one file. */
export async function* toPages(
  batches: AsyncIterable<Batch>,
  { afterKey, partRows, rowsInPart }: Start,
): AsyncGenerator<Page> {
  let lastKey = afterKey;
  let count = rowsInPart;
  let beginsPart = rowsInPart === 0;
  for await (const { rows, keys } of batches) {
    for (let at = 0; at < rows.length;) {
      let end = Math.min(rows.length, at + Math.max(0, partRows - count));
      const before = end === at ? lastKey : keys[end - 1];
      while (end < rows.length && keys[end] === before) end += 1;
      if (end === at) {
        count = 0;
        beginsPart = true;
        continue;
      }
      lastKey = keys[end - 1] ?? lastKey;
      yield { content: { rows: rows.slice(at, end) }, rows: end - at, lastKey, beginsPart };
      beginsPart = false;
      count += end - at;
      at = end;
    }
  }
}
