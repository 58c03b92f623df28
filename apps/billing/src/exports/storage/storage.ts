import type { Readable } from 'node:stream';

/** Where the files of exports are. */
export interface ExportStorage {
  /** Writes a file: it is there whole under its name, or not at all. */
  write(jobId: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** A part of a file, both ends included, none if it ends before it starts; undefined when it is not there. */
  read(jobId: string, name: string, range: { start: number; end: number }): Promise<Readable | undefined>;
  /** Takes away all files of an export, such as what one that was cancelled has left; none is no error. */
  remove(jobId: string): Promise<void>;
  close(): void;
}
