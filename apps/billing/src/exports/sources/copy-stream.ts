import type { Client, Connection, Submittable } from 'pg';
import { COPY_HEADER_BYTES, COPY_TRAILER } from '../tuples.ts';
import type { Copied } from './copy-out.ts';

const FIRST_BYTES = 1 << 16;
/** Batches that wait to be read, until the connection is no longer listened to. */
const WAITING_MAX = 2;

/**
 * Runs a `COPY … TO STDOUT (FORMAT binary)` and gives its rows as they come, so many at once, each time as if they were all. The
 * database waits where they are read more slowly than it has them.
 */
export async function* streamCopy(client: Client, text: string, rowsAtOnce: number): AsyncGenerator<Copied> {
  const stream = client.query(new CopyStream(text, rowsAtOnce));
  for (let batch = await stream.next(); batch; batch = await stream.next()) yield batch;
}

/** What pg calls of a query that it has sent. */
class CopyStream implements Submittable {
  readonly #text: string;
  readonly #rowsAtOnce: number;
  readonly #waiting: Copied[] = [];
  #connection: Connection | undefined;
  #isPaused = false;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = COPY_HEADER_BYTES;
  #rows = 0;
  #total = 0;
  /** Messages so far: the first one has the header of the whole, too. */
  #isFirst = true;
  #isDone = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(text: string, rowsAtOnce: number) {
    this.#text = text;
    this.#rowsAtOnce = rowsAtOnce;
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    // oxlint-disable-next-line tollgate/typed-rows -- bytes of COPY: tuples.ts reads them
    connection.query(this.#text);
  }

  /** The rows that come next; undefined behind the last ones. */
  async next(): Promise<Copied | undefined> {
    for (;;) {
      const batch = this.#waiting.shift();
      if (batch) {
        this.#listen(true);
        return batch;
      }
      if (this.#error) throw this.#error;
      if (this.#isDone) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** A message is a row, or the end behind the last one. Its bytes are pg's, which soon has others there. */
  handleCopyData({ chunk }: { readonly chunk: Uint8Array }): void {
    const row = this.#isFirst ? chunk.subarray(COPY_HEADER_BYTES) : chunk;
    this.#isFirst = false;
    if (row.length <= COPY_TRAILER.length) return;
    this.#append(row);
    this.#rows += 1;
    this.#total += 1;
    if (this.#rows === this.#rowsAtOnce) this.#deliver();
  }

  handleReadyForQuery(): void {
    if (this.#rows > 0) this.#deliver();
    this.#isDone = true;
    this.#wake();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (text !== `COPY ${this.#total}`)
      this.handleError(new Error(`of "${text}" there came ${this.#total} rows`));
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length;
    if (end + COPY_TRAILER.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (end + COPY_TRAILER.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = end;
  }

  #deliver(): void {
    this.#append(COPY_TRAILER);
    this.#waiting.push({ bytes: this.#bytes.subarray(0, this.#length), rows: this.#rows });
    this.#bytes = Buffer.allocUnsafeSlow(this.#bytes.length);
    this.#length = COPY_HEADER_BYTES;
    this.#rows = 0;
    if (this.#waiting.length >= WAITING_MAX) this.#listen(false);
    this.#wake();
  }

  #listen(isListening: boolean): void {
    if (this.#isPaused !== isListening) return;
    this.#isPaused = !isListening;
    const stream = this.#connection?.stream;
    if (isListening) stream?.resume();
    else stream?.pause();
  }
}
