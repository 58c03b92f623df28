import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AnswerTooLong } from './body.ts';
import { readStatus } from './status-policy.ts';

/** Names in lower case; a header that came more than once has all its values. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What becomes of the body of an answer: kept in one piece, handed on as it comes, or thrown away. */
export type BodyHandling = 'whole' | 'stream' | 'nothing';

export type Exchanged = { readonly status: number; readonly headers: UpstreamHeaders } & (
  | { readonly handling: 'whole'; readonly body: Buffer }
  /** One that breaks off between two readers is no uncaught error. */
  | { readonly handling: 'stream'; readonly body: Readable }
  | { readonly handling: 'nothing' }
);

interface Exchange {
  /** Resolves with the head of the answer, or with all of an answer that is wanted whole. */
  readonly result: Promise<Exchanged>;
  /** Gives it up. What is under way rejects, and a stream that began breaks off. */
  abort(): void;
  /** The request, or a part of it, has left for the upstream. */
  isSent(): boolean;
}

/** Each begins the wait for the head of the answer again, and no server says so many. */
const MAX_INFORMATIONAL = 100;

/** An answer that nobody wants is read to its end, which keeps the connection, unless it is longer than this. */
const MAX_DRAINED_BYTES = 65_536;

/**
 * Sends one POST to an upstream. The answer is taken from undici's parser directly, so that an answer that is wanted whole
 * needs no stream.
 *
 * @param chooseHandling is called when the headers of the answer are there.
 * @param wholeLimit the most bytes of an answer that is taken whole; a longer one rejects with {@link AnswerTooLong}.
 */
export function exchange(
  pool: Dispatcher,
  request: {
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body: Buffer | Readable;
  },
  chooseHandling: (status: number, headers: UpstreamHeaders) => BodyHandling,
  wholeLimit: number,
): Exchange {
  const { promise: result, resolve, reject } = Promise.withResolvers<Exchanged>();
  let control: Dispatcher.DispatchController | undefined;
  let gaveUp: Error | undefined;
  let handling: BodyHandling = 'nothing';
  let head = { status: 0, headers: {} as UpstreamHeaders };
  let stream: Readable | undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  let informational = 0;

  const giveUp = (reason: Error) => {
    gaveUp ??= reason;
    control?.abort(gaveUp);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      if (gaveUp) controller.abort(gaveUp);
      else control = controller;
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) {
        informational += 1;
        if (informational > MAX_INFORMATIONAL) giveUp(new Error('too many answers before the answer'));
        return;
      }
      head = { status: readStatus(status, headers), headers };
      handling = chooseHandling(head.status, headers);
      if (handling === 'stream') {
        stream = bodyOf(controller);
        resolve({ ...head, handling, body: stream });
      } else if (handling === 'nothing') resolve({ ...head, handling });
    },
    onResponseData(controller, chunk) {
      if (stream) {
        if (!stream.push(chunk)) controller.pause();
        return;
      }
      length += chunk.length;
      if (handling === 'whole') {
        if (length > wholeLimit) giveUp(new AnswerTooLong(`the answer is longer than ${wholeLimit} bytes`));
        else chunks.push(chunk);
      } else if (length > MAX_DRAINED_BYTES) giveUp(new Error('nobody wants the rest'));
    },
    onResponseEnd() {
      if (stream) stream.push(null);
      else if (handling === 'whole') {
        const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length);
        resolve({ ...head, handling, body });
      }
    },
    onResponseError(_controller, error) {
      reject(error);
      // What has come already is read before.
      if (stream) queueMicrotask(() => stream?.destroy(error));
    },
  };
  pool.dispatch({ method: 'POST', ...request }, handler);
  return { result, abort: () => giveUp(new Error('given up')), isSent: () => control !== undefined };
}

/** The body of an answer as a stream that reads from its connection no faster than it is read itself. */
function bodyOf(controller: Dispatcher.DispatchController): Readable {
  const body = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      if (!body.readableEnded) controller.abort(error ?? new Error('the answer is not wanted any more'));
      done(error);
    },
  });
  return body.on('error', () => {});
}
