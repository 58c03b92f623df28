import type { Readable } from 'node:stream';
import { z } from 'zod';

/** The bytes of one writer, and their SHA-256. */
const segment = z.object({ bytes: z.int(), sha256: z.string() });
export type Segment = z.infer<typeof segment>;

/** What an S3 store has of a file that is not complete. */
export const uploadSchema = z.object({
  /** Of its multipart upload; null as long as nothing of the file is as much as one upload part. */
  id: z.string().nullable(),
  /** What the store answered to each upload part. */
  etags: z.array(z.string()),
  /** The object that holds the bytes behind these. */
  tail: z.object({ name: z.string(), sha256: z.string() }),
  /** What writers before this one wrote, one behind the other. */
  before: z.array(segment),
});
export type Upload = z.infer<typeof uploadSchema>;

/** The first bytes of a file, as far as another writer can go on behind them. */
export interface KeptBytes {
  readonly bytes: number;
  /** Of those that their writer wrote itself. */
  readonly sha256: string;
  /** Where they are in an S3 store; null in a directory, where their name says it. */
  readonly upload: Upload | null;
}

/** Where what a writer has left of a file is found. */
export interface LeftBytes extends KeptBytes {
  readonly name: string;
  readonly writer: string;
}

/** A file that is being written: it is there whole under its name, or not at all. */
export interface ExportFile {
  /** How long it is so far. */
  readonly bytes: number;
  /** The chunk may become another once it is written. */
  write(chunk: Uint8Array): Promise<void>;
  /** Keeps what is written, whatever becomes of this writer. What was kept before it is no longer there at the next call. */
  keep(): Promise<KeptBytes>;
  /** Puts it in place. @returns its SHA-256. */
  finish(): Promise<string>;
  /** Takes away what nobody can go on with, after a failure. */
  abandon(): Promise<void>;
}

/** Where the files of exports are. */
export interface ExportStorage {
  /** Begins a file. @param writer what is there of it until it is complete is found by. */
  create(jobId: string, name: string, writer: string): Promise<ExportFile>;
  /**
   * Goes on with what another writer has left of a file; undefined when it is not there.
   *
   * @throws {DamagedDraft} when it is not what was written.
   */
  resume(jobId: string, left: LeftBytes, writer: string): Promise<ExportFile | undefined>;
  /** A part of a file, both ends included, none if it ends before it starts; undefined when it is not there. */
  read(jobId: string, name: string, range: { start: number; end: number }): Promise<Readable | undefined>;
  /** Takes away all files of an export, and what is left of one that was begun; none is no error. */
  remove(jobId: string, left?: Pick<LeftBytes, 'name' | 'upload'>): Promise<void>;
  close(): void;
}

/** A file that was begun cannot be gone on with. */
export class DamagedDraft extends Error {
  override readonly name = 'DamagedDraft';

  constructor(file: string, cause?: unknown) {
    super(`what there was of ${file} is not what was written: it is begun again`, { cause });
  }
}

export const UNFINISHED = '.unfinished';
