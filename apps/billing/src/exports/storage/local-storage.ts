import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ExportStorage } from './storage.ts';

/** Files in a directory of the export. */
export class LocalStorage implements ExportStorage {
  readonly keepsDrafts = true;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(jobId: string, name: string, bytes: AsyncIterable<Uint8Array>, writer: string): Promise<void> {
    const directory = join(this.#directory, jobId);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const temporary = join(directory, draftName(name, writer));
    const file = await open(temporary, 'wx', 0o600);
    try {
      for await (const chunk of bytes) await file.writeFile(chunk);
      await file.sync();
    } catch (error) {
      await file.close();
      await rm(temporary, { force: true });
      throw error;
    }
    await file.close();
    await rename(temporary, join(directory, name));
    await removeUnfinished(directory, name);
    await syncDirectory(directory);
  }

  async readDraft(
    jobId: string,
    name: string,
    writer: string,
    bytes: number,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const path = join(this.#directory, jobId, draftName(name, writer));
    const found = await stat(path).catch(() => undefined);
    return found && found.size >= bytes
      ? createReadStream(path, { end: bytes - 1, highWaterMark: READ_BYTES })
      : undefined;
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

const UNFINISHED = '.unfinished';
const draftName = (name: string, writer: string): string => `${name}.${writer}${UNFINISHED}`;
const READ_BYTES = 1 << 20;

/** What writers that were killed have left of a file. */
async function removeUnfinished(directory: string, name: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    if (entry.startsWith(`${name}.`) && entry.endsWith(UNFINISHED))
      await rm(join(directory, entry), { force: true });
  }
}

/** Makes a rename outlast a power cut. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
