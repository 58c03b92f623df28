import type { Client } from 'pg';
import type { Row } from '../columns.ts';
import type { Tuples } from '../tuples.ts';

/** Connections to the books: as many pages are read at once. */
export type Readers = readonly [Client, ...Client[]];

/** Rows in their order, each with a key. Rows of one key belong together: a file never ends between them. */
export interface Batch {
  readonly rows: readonly Row[];
  /** Rising, one for each row. */
  readonly keys: readonly number[];
}

/** Rows that come together: as texts, or as the database has sent them. */
export type PageContent = { readonly rows: readonly Row[] } | { readonly tuples: Tuples };

export interface Page {
  readonly content: PageContent;
  readonly rows: number;
  /** The key of its last row. */
  readonly lastKey: number;
  /** Whether a file begins with it. */
  readonly beginsPart: boolean;
}

/** Where reading begins. */
export interface Start {
  /** Behind this key. */
  readonly afterKey: number;
  /** A file ends at the first change of key after so many rows. */
  readonly partRows: number;
  /** Rows that the file has already; 0 where a new one begins. */
  readonly rowsInPart: number;
}

/** Where the rows of an export come from. */
export interface ExportSource {
  /** How many there will be; null where that is known only at the end. */
  readonly total: number | null;
  pages(start: Start): AsyncIterableIterator<Page>;
}
