import type { Readable } from 'node:stream';

/** An answer that is longer than we hold in memory. */
export class AnswerTooLong extends Error {}

/** The whole body. @throws when it breaks off, and AnswerTooLong when it is longer than `limit` bytes. */
export function readWhole(body: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) body.destroy(new AnswerTooLong(`the answer is longer than ${limit} bytes`));
      else chunks.push(chunk);
    });
    body.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length)),
    );
    body.once('error', reject);
    body.once('close', () => {
      if (!body.readableEnded) reject(new Error('the body was closed before its end'));
    });
    if (body.errored) reject(body.errored);
    else if (body.destroyed) reject(new Error('the body was closed before its end'));
  });
}

/**
 * Waits until a stream has bytes to read. Answers 'late' after `patienceMs`, and 'ended' when no more will come.
 *
 * @throws when it breaks off.
 */
export function waitForBytes(body: Readable, patienceMs: number): Promise<'ready' | 'late' | 'ended'> {
  if (body.readableLength > 0) return Promise.resolve('ready');
  if (body.readableEnded) return Promise.resolve('ended');
  if (body.errored) return Promise.reject(body.errored);
  return new Promise((resolve, reject) => {
    const end = (result: 'ready' | 'late' | 'ended') => {
      stop();
      resolve(result);
    };
    // A stream that ends says so here without bytes; one that had ended already says only that.
    const readable = () => end(body.readableLength > 0 ? 'ready' : 'ended');
    const ended = () => end('ended');
    const broken = (error?: Error) => {
      stop();
      reject(error ?? new Error('the body was closed before its end'));
    };
    const closed = () => broken();
    const timer = setTimeout(() => end('late'), patienceMs);
    function stop(): void {
      clearTimeout(timer);
      body.off('readable', readable).off('end', ended).off('error', broken).off('close', closed);
    }
    body.on('readable', readable).on('end', ended).on('error', broken).on('close', closed);
  });
}
