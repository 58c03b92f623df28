import { column, requireRow } from '@tollgate/platform/sql';
import type { ExportFormat } from '@tollgate/api';
import type { Client } from 'pg';
import { z } from 'zod';
import type { SqlColumn } from '../columns.ts';
import { toCsvLines } from '../formats/csv.ts';
import { csvLine, fieldsLine, jsonLine } from '../formats/sql-lines.ts';
import { RAW } from './filter.ts';
import type { ExportSource, Page, PageContent, Readers, Start } from './source.ts';

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

/** Rows of a table by number. */
interface NumberedRows {
  /** The first is the number. */
  readonly columns: readonly SqlColumn[];
  /** From which tables, of the numbers from `$1` to `$2`. */
  readonly from: string;
  /** The number there. */
  readonly number: string;
  /** What the rows of one number are in the order of, where there are several: the name of a column. */
  readonly within?: string;
  /** Of the condition, from `$4` on. */
  readonly values: readonly unknown[];
  /** Numbers that are read at once: a page begins at each multiple of it. */
  readonly numbersAtOnce: number;
}

/** Stands between the texts of a column. Where a text has it, the page is asked for again, with texts that cannot be mistaken. */
const BETWEEN = '\x1f';
type Separated = 'by signs' | 'escaped';

/** The values of a column on a page, in one text. */
function selectValues({ type, nullable, sql }: SqlColumn, how: Separated): string {
  if (type === 'text')
    return nullable || how === 'escaped' ? `json_agg(${sql})::text` : `string_agg(${sql}, E'\\x1f')`;
  return `string_agg(${nullable ? `coalesce(${sql}::text, '')` : `${sql}::text`}, ',')`;
}

function parseValues({ type, nullable }: SqlColumn, how: Separated, text: string): (string | null)[] {
  if (type === 'text')
    return nullable || how === 'escaped' ? textsOrNulls.parse(JSON.parse(text)) : text.split(BETWEEN);
  const values = text.split(',');
  return nullable ? values.map((value) => (value === '' ? null : value)) : values;
}
const textsOrNulls = z.array(z.string().nullable());

/**
 * A page: how many rows, the last number, the sums, and the rows themselves as the format wants them. The rows of a number
 * are never on two pages, also where so many rows (`$3`) are enough.
 */
function pageQuery(
  format: ExportFormat,
  { columns, from, number, within }: NumberedRows,
  how: Separated,
): string {
  const values = columns.map(
    ({ type, sql }, place) => `${type === 'text' ? `(${sql})::text` : sql} AS c${place}`,
  );
  const placed = columns.map((each, place) => ({ ...each, sql: `c${place}` }));
  const inOrder = placed.find(({ name }) => name === within);
  const order = inOrder ? `c0, ${inOrder.sql} COLLATE "C"` : 'c0';
  const page = `SELECT ${values.join(', ')} ${from} ORDER BY ${number} FETCH FIRST ($3) ROWS WITH TIES`;
  const sums = placed.filter(({ summed }) => summed).map(({ sql }) => `coalesce(sum(${sql}), 0)`);
  const select = (content: readonly string[], rows: string): string =>
    `SELECT ${['count(*)', 'max(c0)', ...sums, ...content].join(', ')} FROM (${rows}) AS page`;
  if (format === 'parquet')
    return select(
      placed.map((column) => selectValues(column, how)),
      // Sorted once for all columns, and not at all where the index gives the order.
      inOrder ? `SELECT * FROM (${page}) AS found ORDER BY ${order}` : page,
    );
  const line =
    format === 'jsonl' ? jsonLine(placed) : how === 'escaped' ? csvLine(placed) : fieldsLine(placed);
  return select([`string_agg(${line}, '' ORDER BY ${order})`], page);
}

/** A page as the database has written it. */
interface FoundPage {
  readonly from: number;
  readonly maxRows: number;
  readonly rows: number;
  readonly lastKey: number;
  readonly sums: readonly bigint[];
  /** The lines, or the values of each column. */
  readonly pieces: readonly string[];
}

/**
 * Reads by ranges of journal numbers, so that each query is a short look into the index on the number, whatever the
 * filters are, and no transaction is open for long. The database writes the lines of text formats and adds up what is
 * summed. The next pages, one by each reader, are fetched while the one before is written. Pages begin at the same numbers
 * wherever reading begins.
 */
export class NumberPages implements ExportSource {
  readonly total: number;
  readonly #readers: Readers;
  #asked = 0;
  readonly #format: ExportFormat;
  readonly #extent: Extent;
  readonly #source: NumberedRows;
  readonly #queries: Readonly<Record<Separated, string>>;

  constructor(readers: Readers, format: ExportFormat, extent: Extent, source: NumberedRows) {
    this.#readers = readers;
    this.#format = format;
    this.#extent = extent;
    this.#source = source;
    this.#queries = {
      'by signs': pageQuery(format, source, 'by signs'),
      escaped: pageQuery(format, source, 'escaped'),
    };
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
      const { rows, lastKey, sums } = page;
      const content = this.#read(page.pieces, rows, 'by signs') ?? (await this.#readEscaped(page));
      if (rows > 0) yield { rows, lastKey, sums, content, beginsPart };
      beginsPart = isFull || (beginsPart && rows === 0);
    }
  }

  /** The last number of the page that begins with one. */
  #endOfPage(from: number): number {
    const { numbersAtOnce } = this.#source;
    return Math.min((Math.floor(from / numbersAtOnce) + 1) * numbersAtOnce - 1, this.#extent.last);
  }

  /** @param maxRows, but for those that belong to the last number. */
  async #page(from: number, maxRows: number, how: Separated = 'by signs'): Promise<FoundPage> {
    const { columns, values } = this.#source;
    const reader = this.#readers[this.#asked % this.#readers.length] ?? this.#readers[0];
    this.#asked += 1;
    // oxlint-disable-next-line tollgate/typed-rows -- pieces of a file: pageQuery says what stands in which cell
    const { rows: found } = await reader.query<(string | null)[]>({
      // Prepared once: planning takes as long as reading so few rows.
      name: `page ${how}`,
      text: this.#queries[how],
      values: [from, this.#endOfPage(from), maxRows, ...values],
      rowMode: 'array',
      types: RAW,
    });
    const [count, lastKey, ...cells] = found[0] ?? [];
    const rows = Number(count);
    const summed = columns.filter((column) => column.summed).length;
    const sums = cells.slice(0, summed).map((sum) => BigInt(sum ?? 0));
    const pieces = cells.slice(summed).map((cell) => cell ?? '');
    return { from, maxRows, rows, lastKey: Number(lastKey), sums, pieces };
  }

  /** What the pieces of so many rows are; undefined where a text has a sign that stands between texts. */
  #read(pieces: readonly string[], rows: number, how: Separated): PageContent | undefined {
    const { columns } = this.#source;
    const [text = ''] = pieces;
    if (rows > 0 && this.#format === 'csv' && how === 'by signs') {
      const bytes = toCsvLines(text, columns, rows);
      return bytes && { bytes };
    }
    if (rows === 0 || this.#format !== 'parquet') return { text };
    const byColumn = columns.map((column, place) => parseValues(column, how, pieces[place] ?? ''));
    return byColumn.every((each) => each.length === rows) ? { columns: byColumn } : undefined;
  }

  async #readEscaped({ from, maxRows, rows }: FoundPage): Promise<PageContent> {
    const { pieces } = await this.#page(from, maxRows, 'escaped');
    const content = this.#read(pieces, rows, 'escaped');
    if (!content) throw new Error(`a column from number ${from} on has not as many values as rows`);
    return content;
  }
}
