import type { ExportColumn } from '../columns.ts';
import type { PageContent } from '../sources/source.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';
import { TextLines } from './text-lines.ts';
import { type LineDialect, TupleLines } from './tuple-lines.ts';

/** How a format writes its lines: of rows of texts, and of rows as the database has sent them. */
interface LineFormat {
  readonly columns: readonly ExportColumn[];
  readonly dialect: LineDialect;
  /** Writes the texts of a column as fields. */
  readonly toShown: (column: ExportColumn) => (value: string) => string;
}

/** A file of lines. */
export class LineEncoder implements PartEncoder {
  readonly #format: LineFormat;
  #tupleLines: TupleLines | undefined;
  #textLines: TextLines | undefined;
  #header: string;
  #rowsOut: number;

  constructor(header: string, format: LineFormat, start?: EncoderStart) {
    this.#header = start ? '' : header;
    this.#format = format;
    this.#rowsOut = start?.rowsOut ?? 0;
  }

  get rowsOut(): number {
    return this.#rowsOut;
  }

  encode(content: PageContent, rows: number): Uint8Array {
    const header = this.#header;
    this.#header = '';
    this.#rowsOut += rows;
    const { columns, dialect, toShown } = this.#format;
    if ('rows' in content) {
      this.#textLines ??= new TextLines(columns, dialect, toShown);
      return this.#textLines.write(header, content.rows);
    }
    this.#tupleLines ??= new TupleLines(columns, dialect);
    const lines = this.#tupleLines.write(content.tuples);
    return header === '' ? lines : Buffer.concat([Buffer.from(header), lines]);
  }

  finish(): Uint8Array {
    return Buffer.from(this.#header);
  }

  state(): Uint8Array {
    return new Uint8Array();
  }
}
