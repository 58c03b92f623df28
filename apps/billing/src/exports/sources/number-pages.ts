import { column, requireRow } from '@tollgate/platform/sql';
import type { Client } from 'pg';
import { z } from 'zod';
import { Tuples } from '../tuples.ts';
import { type Copied, copyOut } from './copy-out.ts';
import { type NumberedRows, pageQuery, withValues } from './page-query.ts';
import type { ExportSource, Page, Readers, Start } from './source.ts';

/** Which numbers an export lies between, and how many rows it has. */
interface Extent {
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

const extentRow = z.object({
  rows: column.bigint.nullable(),
  first: column.bigint.nullable(),
  last: column.bigint.nullable(),
});

/** @param text of a query that gives `rows`, and the `first` and the `last` of their numbers: null where there are none. */
export async function readExtent(client: Client, text: string, values: readonly unknown[]): Promise<Extent> {
  const { rows, first, last } = await requireRow(client, extentRow, text, values);
  return { rows: Number(rows), first: Number(first), last: Number(last) };
}

interface FoundPage {
  readonly from: number;
  readonly maxRows: number;
  readonly rows: number;
  readonly lastKey: number;
  readonly tuples: Tuples;
}

/**
 * Reads by ranges of journal numbers, so that each query is a short look into the index on the number, whatever the
 * filters are, and no transaction is open for long. The next pages, one by each reader, are fetched while the one before is
 * written. Pages begin at the same numbers wherever reading begins.
 */
export class NumberPages implements ExportSource {
  readonly total: number;
  readonly #readers: Readers;
  #asked = 0;
  readonly #extent: Extent;
  readonly #source: NumberedRows;
  readonly #query: string;
  /** What a page took: the next will take as much. */
  #pageBytes: number | undefined;

  constructor(readers: Readers, extent: Extent, source: NumberedRows) {
    this.#readers = readers;
    this.#extent = extent;
    this.#source = source;
    this.#query = pageQuery(source);
    this.total = extent.rows;
  }

  async *pages({ afterKey, partRows, rowsInPart }: Start): AsyncGenerator<Page> {
    const { first, last, rows } = this.#extent;
    if (rows === 0) return;
    let next = Math.max(first, afterKey + 1);
    let beginsPart = rowsInPart === 0 || rowsInPart >= partRows;
    let left = beginsPart ? partRows : partRows - rowsInPart;
    const ahead: Promise<FoundPage>[] = [];
    const askAhead = (): void => {
      for (; ahead.length < this.#readers.length && next <= last; next = this.#endOfPage(next) + 1) {
        const page = this.#page(next, left);
        // It is awaited in its turn; until then its failure is nobody's.
        page.catch(() => {});
        ahead.push(page);
      }
    };
    askAhead();
    for (let found = ahead.shift(); found; found = ahead.shift()) {
      let page = await found;
      // It was asked for before it was known how many rows the file may still have.
      if (page.rows > left && page.maxRows > left) page = await this.#page(page.from, left);
      const isFull = page.rows >= left;
      if (isFull) {
        // Those behind it begin elsewhere, or were to have fewer rows. A reader is asked again when it is free.
        await Promise.allSettled(ahead.splice(0));
        next = page.lastKey + 1;
      }
      left = isFull ? partRows : left - page.rows;
      // The database is at the next pages meanwhile.
      askAhead();
      const { rows, lastKey, tuples } = page;
      if (rows > 0) yield { rows, lastKey, content: { tuples }, beginsPart };
      beginsPart = isFull || (beginsPart && rows === 0);
    }
  }

  /** The last number of the page that begins with one. */
  #endOfPage(from: number): number {
    const { numbersAtOnce } = this.#source;
    return Math.min((Math.floor(from / numbersAtOnce) + 1) * numbersAtOnce - 1, this.#extent.last);
  }

  /** @param maxRows, but for those that belong to the last number. */
  async #page(from: number, maxRows: number): Promise<FoundPage> {
    const { columns, values } = this.#source;
    const reader = this.#readers[this.#asked % this.#readers.length] ?? this.#readers[0];
    this.#asked += 1;
    const text = withValues(this.#query, [from, this.#endOfPage(from), maxRows, ...values]);
    const copied: Copied = await copyOut(reader, text, this.#pageBytes);
    const { rows } = copied;
    const tuples = new Tuples(copied, columns.length);
    this.#pageBytes = copied.bytes.length;
    const lastKey = rows > 0 ? Number(tuples.bytes.readBigInt64BE(tuples.startOf(rows - 1, 0))) : 0;
    return { from, maxRows, rows, lastKey, tuples };
  }
}
