import type { Client, Connection, Submittable } from 'pg';

const FIRST_BYTES = 1 << 16;

/** What `COPY … TO STDOUT (FORMAT binary)` gave. */
export interface Copied {
  readonly bytes: Buffer;
  readonly rows: number;
}

/**
 * Runs a `COPY … TO STDOUT (FORMAT binary)` and holds all that it gives. A query would have pg make an object of each row and a text
 * of each field; `pg-copy-streams` takes the messages apart once more.
 *
 * @param bytes how many are expected.
 */
export const copyOut = (client: Client, text: string, bytes = FIRST_BYTES): Promise<Copied> =>
  new Promise((resolve, reject) => {
    client.query(new CopyOut(text, bytes, resolve, reject));
  });

/** What pg calls of a query that it has sent. */
class CopyOut implements Submittable {
  readonly #text: string;
  readonly #resolve: (copied: Copied) => void;
  readonly #reject: (error: Error) => void;
  #bytes: Buffer;
  #length = 0;
  #rows = 0;

  constructor(
    text: string,
    bytes: number,
    resolve: (copied: Copied) => void,
    reject: (error: Error) => void,
  ) {
    this.#text = text;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
  }

  submit(connection: Connection): void {
    // oxlint-disable-next-line tollgate/typed-rows -- bytes of COPY: tuples.ts reads them
    connection.query(this.#text);
  }

  /** The bytes are pg's, which soon has others there. */
  handleCopyData({ chunk }: { readonly chunk: Uint8Array }): void {
    const end = this.#length + chunk.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = end;
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1]);
  }

  handleReadyForQuery(): void {
    this.#resolve({ bytes: this.#bytes.subarray(0, this.#length), rows: this.#rows });
  }

  handleError(error: Error): void {
    this.#reject(error);
  }
}
