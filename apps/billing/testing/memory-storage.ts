import { createHash } from 'node:crypto';
import type { ExportFile, ExportStorage } from '../src/exports/storage/storage.ts';

/** Holds the bytes of one file of an export, which may begin with some that were left. */
export class MemoryStorage implements ExportStorage {
  readonly #chunks: Uint8Array[];

  constructor(left: Uint8Array = Buffer.of()) {
    this.#chunks = [left];
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  create(): Promise<ExportFile> {
    const chunks = this.#chunks;
    const sha256 = () => createHash('sha256').update(this.bytes).digest('hex');
    const length = () => this.bytes.byteLength;
    return Promise.resolve({
      get bytes() {
        return length();
      },
      write: async (chunk) => void chunks.push(Buffer.from(chunk)),
      keep: async () => ({ bytes: length(), sha256: sha256(), upload: null }),
      finish: async () => sha256(),
      abandon: async () => undefined,
    });
  }

  resume(): Promise<ExportFile> {
    return this.create();
  }

  read(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    // It holds nothing open.
  }
}
