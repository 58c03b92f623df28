import { readFileSync } from 'node:fs';

/** The bytes of a stream beside this file. */
export const goldenStream = (name: string): Buffer =>
  readFileSync(new URL(`./streams/${name}`, import.meta.url));

export const SSE_STREAMS = ['openai-chat.sse', 'openai-responses.sse', 'anthropic-messages.sse', 'gemini.sse'];

/** The bytes cut in two at every offset, and cut into single bytes. */
export function* everyCut(bytes: Buffer): Generator<Buffer[]> {
  for (let at = 0; at <= bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield [...bytes].map((byte) => Buffer.from([byte]));
}
