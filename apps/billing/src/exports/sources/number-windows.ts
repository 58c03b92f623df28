import { column, requireRow } from '@tollgate/platform/sql';
import type { Client } from 'pg';
import { z } from 'zod';
import type { Row } from '../columns.ts';
import { RAW } from './filter.ts';
import type { Batch, ExportSource } from './source.ts';

/** Numbers of the journal that are read at once. */
const WINDOW = 1_000;

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

/**
 * Reads by ranges of journal numbers, so that each query is a short look into the index on the number, whatever the
 * filters are, and no transaction is open for long. The next range is fetched while the one before is written.
 */
export class NumberWindows implements ExportSource {
  readonly total: number;
  readonly #client: Client;
  readonly #extent: Extent;
  readonly #query: { readonly text: string; readonly values: readonly unknown[] };

  /** @param query gives the rows of the numbers from `$1` to `$2`, in order, the number as their first column. */
  constructor(
    client: Client,
    extent: Extent,
    query: { readonly text: string; readonly values: readonly unknown[] },
  ) {
    this.#client = client;
    this.#extent = extent;
    this.#query = query;
    this.total = extent.rows;
  }

  async *read(afterKey: number): AsyncGenerator<Batch> {
    const { first, last, rows } = this.#extent;
    if (rows === 0) return;
    let next = Math.max(first, afterKey + 1);
    let ahead = this.#window(next);
    while (next <= last) {
      const found = await ahead;
      next += WINDOW;
      if (next <= last) {
        ahead = this.#window(next);
        // It is awaited in the next turn; until then its failure is nobody's.
        ahead.catch(() => {});
      }
      if (found.length > 0) yield { rows: found, keys: found.map((row) => Number(row[0])) };
    }
  }

  async #window(from: number): Promise<Row[]> {
    // oxlint-disable-next-line tollgate/typed-rows -- a stream in pieces: columns.ts says what its cells are
    const { rows } = await this.#client.query<(string | null)[]>({
      // Prepared once: planning takes as long as reading so few rows.
      name: 'window',
      text: this.#query.text,
      values: [from, Math.min(from + WINDOW - 1, this.#extent.last), ...this.#query.values],
      rowMode: 'array',
      types: RAW,
    });
    return rows;
  }
}
