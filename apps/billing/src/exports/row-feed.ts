import type { Row } from './columns.ts';
import type { Batch } from './sources/source.ts';

/** Hands the rows of a source out in files: one ends at the first change of key after so many rows. */
export class RowFeed {
  readonly #batches: AsyncIterator<Batch>;
  #batch: Batch = { rows: [], keys: [] };
  #at = 0;
  #lastKey: number;

  constructor(batches: AsyncIterable<Batch>, afterKey: number) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#lastKey = afterKey;
  }

  /** The key of the last row that was handed out. */
  get lastKey(): number {
    return this.#lastKey;
  }

  /** Whether there are more rows. */
  async more(): Promise<boolean> {
    while (this.#at === this.#batch.rows.length) {
      const { done, value } = await this.#batches.next();
      if (done) return false;
      this.#batch = value;
      this.#at = 0;
    }
    return true;
  }

  /** The rows of the next file. */
  async *part(rowsOfPart: number): AsyncGenerator<readonly Row[]> {
    let count = 0;
    while (await this.more()) {
      const { rows, keys } = this.#batch;
      let end = Math.min(rows.length, this.#at + Math.max(0, rowsOfPart - count));
      const before = end === this.#at ? this.#lastKey : keys[end - 1];
      while (end < rows.length && keys[end] === before) end += 1;
      if (end === this.#at) return;
      const taken = rows.slice(this.#at, end);
      this.#lastKey = keys[end - 1] ?? this.#lastKey;
      this.#at = end;
      count += taken.length;
      yield taken;
    }
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
