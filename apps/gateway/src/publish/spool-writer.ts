import { constants, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createGroupCommit, syncDirectory } from '@tollgate/platform';
import { type SpoolEntry, writeLine } from './spool-line.ts';

export const SPOOL_SUFFIX = '.jsonl';
const EVENTS_PER_WRITE_MAX = 1_000;
/** On average: a write costs more than the event in it, and keeps an answer of a crowd back by this at most. */
const WRITES_APART_MS = 1;
/** Linux syncs the data of each write by itself when it is asked to: one trip to the disk's thread in place of two. */
const SYNCS_ITSELF = process.platform === 'linux';
const APPEND_NEW =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_EXCL |
  (SYNCS_ITSELF ? constants.O_DSYNC : 0);

/** When a file gets no more events. */
export interface SegmentLimits {
  readonly maxEvents: number;
  readonly maxAgeMs: number;
}

interface OpenFile {
  readonly name: string;
  readonly file: Awaited<ReturnType<typeof open>>;
  readonly since: number;
  readonly requestIds: string[];
  /** That are on the disk. */
  bytes: number;
}

/** Writes events to files, one after the other. Appends that come together share one write and one sync. */
export class SpoolWriter {
  readonly #directory: string;
  readonly #limits: SegmentLimits;
  readonly #onEnd: (name: string, requestIds: readonly string[]) => void;
  readonly #writes = createGroupCommit<SpoolEntry>((entries) => this.#write(entries), {
    maxSize: EVENTS_PER_WRITE_MAX,
    apartMs: WRITES_APART_MS,
  });
  #current: OpenFile | undefined;
  #sequence = 0;
  /** Writing to the open file and ending it happen one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param onEnd is told of a file that gets no more events, and of the requests whose events it has. */
  constructor(
    directory: string,
    limits: SegmentLimits,
    onEnd: (name: string, requestIds: readonly string[]) => void,
  ) {
    this.#directory = directory;
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** Resolves when the event is on the disk. @throws when the disk refuses it. */
  append(entry: SpoolEntry): Promise<void> {
    return this.#writes.add(entry);
  }

  /** Ends the file that is written to, if it has grown or aged enough, or at once. */
  cut(when: 'due' | 'now'): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#current && (when === 'now' || this.#isDue(this.#current))) await this.#endFile();
    });
  }

  /** Events in the open file. */
  written(): number {
    return this.#current?.requestIds.length ?? 0;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  #isDue({ requestIds, since }: OpenFile): boolean {
    const { maxEvents, maxAgeMs } = this.#limits;
    return requestIds.length >= maxEvents || performance.now() - since >= maxAgeMs;
  }

  #write(entries: readonly SpoolEntry[]): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#current && this.#isDue(this.#current)) await this.#endFile();
      const current = (this.#current ??= await this.#openFile());
      const bytes = Buffer.from(entries.map(writeLine).join(''));
      try {
        await writeAll(current.file, bytes);
        if (!SYNCS_ITSELF) await current.file.datasync();
        for (const { written } of entries) current.requestIds.push(written.event.request_id);
        current.bytes += bytes.length;
      } catch (error) {
        // A full disk may have taken half a line. What follows must not be joined to it.
        await current.file.truncate(current.bytes).catch(() => {});
        await this.#endFile().catch(() => {});
        throw error;
      }
    });
  }

  async #openFile(): Promise<OpenFile> {
    const { name, file } = await this.#createFile();
    try {
      await syncDirectory(this.#directory);
    } catch (error) {
      await file.close();
      throw error;
    }
    return { name, file, requestIds: [], bytes: 0, since: performance.now() };
  }

  /** A file that a process of the same number left is kept: a container's is always 1, and a clock can be set back. */
  async #createFile(): Promise<Pick<OpenFile, 'name' | 'file'>> {
    for (;;) {
      this.#sequence += 1;
      const time = Date.now().toString().padStart(15, '0');
      const name = `${time}-${process.pid}-${String(this.#sequence).padStart(6, '0')}${SPOOL_SUFFIX}`;
      try {
        return { name, file: await open(join(this.#directory, name), APPEND_NEW, 0o600) };
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
    }
  }

  async #endFile(): Promise<void> {
    if (!this.#current) return;
    const { name, file, requestIds } = this.#current;
    this.#current = undefined;
    this.#onEnd(name, requestIds);
    await file.close();
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** By the callback of the descriptor: the promise of a `FileHandle` costs a tenth of the write more. */
const writeSome = ({ fd }: OpenFile['file'], bytes: Buffer, at: number): Promise<number> =>
  new Promise((resolve, reject) => {
    write(fd, bytes, at, bytes.length - at, null, (error, written) =>
      error ? reject(error) : resolve(written),
    );
  });

async function writeAll(file: OpenFile['file'], bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await writeSome(file, bytes, at);
}
