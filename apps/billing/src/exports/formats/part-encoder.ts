import type { PageContent } from '../sources/source.ts';

/** Turns the rows of one file into its bytes. The same rows give the same bytes, however they are handed over. */
export interface PartEncoder {
  /** The bytes that are ready so far; the next call may write others there. @param rows how many it has. */
  encode(content: PageContent, rows: number): Uint8Array;
  /** The rest of the file. */
  finish(): Uint8Array;
  /** Rows that are in the bytes that were handed out. */
  readonly rowsOut: number;
  /** What an encoder of the same columns needs to go on behind these bytes. */
  state(): Uint8Array;
}

/** Where an encoder goes on. */
export interface EncoderStart {
  readonly state: Uint8Array;
  readonly rowsOut: number;
  /** Rows that it is given once more, though the bytes have them. */
  readonly skip: number;
}
