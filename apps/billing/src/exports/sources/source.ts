import type { Row } from '../columns.ts';

/** Rows in their order, each with a key. Rows of one key belong together: a file never ends between them. */
export interface Batch {
  readonly rows: readonly Row[];
  /** Rising, one for each row. */
  readonly keys: readonly number[];
}

/** Where the rows of an export come from. */
export interface ExportSource {
  /** How many there will be; null where that is known only at the end. */
  readonly total: number | null;
  /** All rows whose key is greater than `afterKey`. */
  read(afterKey: number): AsyncIterable<Batch>;
}
