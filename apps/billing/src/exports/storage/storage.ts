import type { Readable } from 'node:stream';

/** Where the files of exports are. */
export interface ExportStorage {
  /** Whether {@link readDraft} finds what a killed writer has left of a file. */
  readonly keepsDrafts: boolean;
  /**
   * Writes a file: it is there whole under its name, or not at all. The next bytes are asked for once those before are written.
   *
   * @param writer what is there of it until then is found by.
   */
  write(jobId: string, name: string, bytes: AsyncIterable<Uint8Array>, writer: string): Promise<void>;
  /** The first bytes of a file that a writer did not end; undefined when they are not there. */
  readDraft(
    jobId: string,
    name: string,
    writer: string,
    bytes: number,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** A part of a file, both ends included, none if it ends before it starts; undefined when it is not there. */
  read(jobId: string, name: string, range: { start: number; end: number }): Promise<Readable | undefined>;
  /** Takes away all files of an export, such as what one that was cancelled has left; none is no error. */
  remove(jobId: string): Promise<void>;
  close(): void;
}
