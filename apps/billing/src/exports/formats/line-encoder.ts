import type { ExportColumn, Row } from '../columns.ts';
import type { PageContent } from '../sources/source.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';
import { type LineDialect, TupleLines } from './tuple-lines.ts';

/** How a format writes its lines: of rows of texts, and of rows as the database has sent them. */
interface LineFormat {
  readonly lines: (rows: readonly Row[]) => string;
  readonly columns: readonly ExportColumn[];
  readonly dialect: LineDialect;
}

/** A file of lines. */
export class LineEncoder implements PartEncoder {
  readonly #format: LineFormat;
  #tupleLines: TupleLines | undefined;
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
    if ('rows' in content) return Buffer.from(header + this.#format.lines(content.rows));
    this.#tupleLines ??= new TupleLines(this.#format.columns, this.#format.dialect);
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
