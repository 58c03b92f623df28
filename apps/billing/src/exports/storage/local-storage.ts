import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LocalFile } from './local-file.ts';
import { DamagedDraft, type ExportStorage, type LeftBytes } from './storage.ts';

const READ_BYTES = 1 << 20;

/** Files in a directory of the export. */
export class LocalStorage implements ExportStorage {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  create(jobId: string, name: string, writer: string): Promise<LocalFile> {
    return LocalFile.create(join(this.#directory, jobId), name, writer);
  }

  /** Copies what there is: its writer may live and add to it. */
  async resume(
    jobId: string,
    { name, writer: before, bytes, sha256 }: LeftBytes,
    writer: string,
  ): Promise<LocalFile | undefined> {
    const directory = join(this.#directory, jobId);
    const path = LocalFile.pathOf(directory, name, before);
    const found = await stat(path).catch(() => undefined);
    if (!found || found.size < bytes) return undefined;
    const file = await LocalFile.create(directory, name, writer);
    try {
      const chunks: AsyncIterable<Buffer> = createReadStream(path, {
        end: bytes - 1,
        highWaterMark: READ_BYTES,
      });
      for await (const chunk of chunks) await file.write(chunk);
      if ((await file.keep()).sha256 !== sha256) throw new DamagedDraft(name);
    } catch (error) {
      await file.abandon();
      throw error;
    }
    return file;
  }

  async read(
    jobId: string,
    name: string,
    range: { start: number; end: number },
  ): Promise<Readable | undefined> {
    const path = join(this.#directory, jobId, name);
    const found = await stat(path).catch(() => undefined);
    if (!found) return undefined;
    return range.end < range.start ? Readable.from([]) : createReadStream(path, range);
  }

  remove(jobId: string): Promise<void> {
    // Whoever writes an export that is cancelled may add a file while its directory is emptied.
    const again = { maxRetries: 10, retryDelay: 20 };
    return rm(join(this.#directory, jobId), { recursive: true, force: true, ...again });
  }

  close(): void {
    // It holds nothing open.
  }
}
