import type { Row } from '../columns.ts';
import type { PageContent } from '../sources/source.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';

/** A file of lines, which the database has written, or which are written here row by row. */
export class LineEncoder implements PartEncoder {
  readonly #lines: (rows: readonly Row[]) => string;
  #header: string;
  #rowsOut: number;

  constructor(header: string, lines: (rows: readonly Row[]) => string, start?: EncoderStart) {
    this.#header = start ? '' : header;
    this.#lines = lines;
    this.#rowsOut = start?.rowsOut ?? 0;
  }

  get rowsOut(): number {
    return this.#rowsOut;
  }

  encode(content: PageContent, rows: number): Uint8Array {
    if ('columns' in content) throw new Error('lines are not written by column');
    const bytes =
      'bytes' in content
        ? Buffer.concat([Buffer.from(this.#header), content.bytes])
        : Buffer.from(this.#header + ('text' in content ? content.text : this.#lines(content.rows)));
    this.#header = '';
    this.#rowsOut += rows;
    return bytes;
  }

  finish(): Uint8Array {
    return Buffer.from(this.#header);
  }

  state(): Uint8Array {
    return new Uint8Array();
  }
}
