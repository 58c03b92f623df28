import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportFile, type KeptBytes, UNFINISHED } from './storage.ts';

/** A file of a directory: until it is complete, under a name of its writer. */
export class LocalFile implements ExportFile {
  readonly #directory: string;
  readonly #name: string;
  readonly #temporary: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  bytes = 0;

  private constructor(directory: string, name: string, temporary: string, file: FileHandle) {
    this.#directory = directory;
    this.#name = name;
    this.#temporary = temporary;
    this.#file = file;
  }

  static pathOf(directory: string, name: string, writer: string): string {
    return join(directory, `${name}.${writer}${UNFINISHED}`);
  }

  static async create(directory: string, name: string, writer: string): Promise<LocalFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const temporary = LocalFile.pathOf(directory, name, writer);
    return new LocalFile(directory, name, temporary, await open(temporary, 'wx', 0o600));
  }

  async write(chunk: Uint8Array): Promise<void> {
    const written = this.#file.writeFile(chunk);
    // The kernel copies what is written meanwhile.
    this.#hash.update(chunk);
    await written;
    this.bytes += chunk.byteLength;
  }

  keep(): Promise<KeptBytes> {
    return Promise.resolve({ bytes: this.bytes, sha256: this.#hash.copy().digest('hex'), upload: null });
  }

  async finish(): Promise<string> {
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#temporary, join(this.#directory, this.#name));
    await removeUnfinished(this.#directory, this.#name);
    await syncDirectory(this.#directory);
    return this.#hash.digest('hex');
  }

  /** A disk that is full has room again; the file is begun again. */
  async abandon(): Promise<void> {
    await this.#file.close();
    await rm(this.#temporary, { force: true });
  }
}

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
