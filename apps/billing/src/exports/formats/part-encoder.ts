import type { Row } from '../columns.ts';

/** Turns the rows of one file into its bytes. The same rows give the same bytes, however they are handed over. */
export interface PartEncoder {
  /** The bytes that are ready so far. */
  encode(rows: readonly Row[]): Uint8Array;
  /** The rest of the file. */
  finish(): Uint8Array;
}
