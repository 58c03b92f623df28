import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** An answer that is longer than we hold in memory. */
export class AnswerTooLong extends Error {}

/** The whole body. @throws when it breaks off, and AnswerTooLong when it is longer than `limit` bytes. */
export async function readWhole(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw new AnswerTooLong(`the answer is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length);
}

/**
 * Waits until a stream has bytes to read. Answers 'late' after `patienceMs`, and 'empty' when the stream ended without
 * a byte. @throws when it breaks off.
 */
export async function firstByte(body: Readable, patienceMs: number): Promise<'ready' | 'late' | 'empty'> {
  if (body.readableLength > 0) return 'ready';
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  try {
    await once(body, 'readable', { signal: patience.signal });
    return body.readableLength > 0 ? 'ready' : 'empty';
  } catch (error) {
    if (patience.signal.aborted) return 'late';
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
