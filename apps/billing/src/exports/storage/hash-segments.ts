import { createHash } from 'node:crypto';
import type { Segment } from './storage.ts';

/** The SHA-256 of bytes that are these segments, one behind the other; undefined when they are not. */
export async function hashSegments(
  chunks: AsyncIterable<Uint8Array>,
  segments: readonly Segment[],
): Promise<string | undefined> {
  const whole = createHash('sha256');
  const rest = [...segments];
  let own = createHash('sha256');
  let hashed = 0;
  /** Whether all segments that end here are what they were. */
  const endSegments = (): boolean => {
    while (rest[0]?.bytes === hashed) {
      if (rest.shift()?.sha256 !== own.digest('hex')) return false;
      own = createHash('sha256');
      hashed = 0;
    }
    return true;
  };
  for await (const chunk of chunks) {
    whole.update(chunk);
    for (let at = 0; at < chunk.byteLength;) {
      if (!endSegments()) return undefined;
      const piece = chunk.subarray(at, at + ((rest[0]?.bytes ?? 0) - hashed));
      if (piece.byteLength === 0) return undefined;
      own.update(piece);
      hashed += piece.byteLength;
      at += piece.byteLength;
    }
  }
  return endSegments() && rest.length === 0 ? whole.digest('hex') : undefined;
}
