import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const READ_BYTES = 64 * 1024;
const NAME_END = '.upload';

/** Bytes in the order in which they came: the first in memory, and what is more than fits there in a file. */
export interface SpooledBytes extends Disposable {
  readonly length: number;
  /** One at a time. @throws where the disk takes no more. */
  append(chunk: Buffer): Promise<void>;
  /** Those from `start` up to `end`, as often as they are wanted. @throws once it is disposed of. */
  read(start: number, end: number): AsyncGenerator<Buffer>;
}

/**
 * @param options.memoryBytes no file is made for up to so many.
 * @param options.directory where the file is made. It loses its name at once: it is gone with this process, however that ends.
 */
export function createSpooledBytes(options: {
  readonly memoryBytes: number;
  readonly directory: string;
}): SpooledBytes {
  let memory: Buffer[] = [];
  let inMemory = 0;
  let length = 0;
  let file: FileHandle | undefined;
  let isDisposed = false;
  let readers = 0;

  const closeUnread = () => {
    if (!isDisposed || readers > 0) return;
    memory = [];
    void file?.close().catch(() => {});
    file = undefined;
  };

  async function* read(start: number, end: number): AsyncGenerator<Buffer> {
    if (isDisposed) throw new Error('the upload was let go');
    readers += 1;
    try {
      let at = 0;
      for (const chunk of memory) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, chunk.length)];
        if (from < to) yield chunk.subarray(from, to);
        at += chunk.length;
      }
      for (let position = Math.max(start, inMemory); position < end;) {
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
        const { bytesRead } = (await file?.read(buffer, 0, buffer.length, position - inMemory)) ?? {
          bytesRead: 0,
        };
        if (bytesRead === 0) throw new Error('the file of an upload is shorter than what was written');
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      readers -= 1;
      closeUnread();
    }
  }

  return {
    get length() {
      return length;
    },
    async append(chunk) {
      if (isDisposed) return;
      length += chunk.length;
      if (!file && length <= options.memoryBytes) {
        memory.push(chunk);
        inMemory += chunk.length;
        return;
      }
      file ??= await openNameless(options.directory);
      // Whoever let go of it while it was opened waits for nothing any more.
      if (isDisposed) closeUnread();
      else await writeAll(file, chunk);
    },
    read,
    [Symbol.dispose]() {
      isDisposed = true;
      closeUnread();
    },
  };
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written);
    written += bytesWritten;
  }
}

async function openNameless(directory: string): Promise<FileHandle> {
  const path = join(directory, `${randomUUID()}${NAME_END}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/**
 * Makes the directory of uploads, and removes what a process left there that was killed between making a file and taking its
 * name away. @throws where it cannot be written to.
 */
export async function openUploadDirectory(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory))
    if (name.endsWith(NAME_END)) await unlink(join(directory, name)).catch(() => {});
  await (await openNameless(directory)).close();
  return directory;
}
