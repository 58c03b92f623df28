import { z } from 'zod';
import { EXTRAS_SHAPE } from './extras.ts';

const count = z.int().nonnegative();

/** How the simulator is told to behave; every field is optional. */
const scriptSchema = z.strictObject({
  first_delay_ms: count.optional(),
  /** Between the headers of a stream and its first event, as of a model that thinks first. */
  body_delay_ms: count.optional(),
  chunk_delay_ms: count.optional(),
  /** Answers with this error in the format's own envelope. */
  status: z.int().min(400).max(599).optional(),
  retry_after_s: count.optional(),
  /** Destroys the connection before the headers. */
  cut_before_headers: z.boolean().optional(),
  /** Destroys the connection after so many chunks. */
  cut_after_chunks: count.optional(),
  /** Of a task: destroys the connection after so many bytes of its whole answer, which is charged for nothing. */
  cut_after_bytes: count.optional(),
  /** Never answers. */
  hang: z.boolean().optional(),
  no_usage: z.boolean().optional(),
  /** A sound is so long, whatever was sent. */
  sound_seconds: z.number().positive().optional(),
  /** Embeddings are numbers, whatever the request asked for: many servers do that. */
  ignores_encoding: z.boolean().optional(),
  /** Pictures have this many bytes. */
  image_bytes: count.max(64 * 1024 * 1024).optional(),
  /** So many pictures are held back by the vendor's policy. */
  held_back: count.optional(),
  /** Replaces the chunk at this index with broken JSON. */
  malformed_chunk_at: count.optional(),
  /** Sends the format's error event in place of this chunk and ends. */
  error_event_at: count.optional(),
  /** Bedrock: spoils the frame at this index of a stream, or ends it there. */
  frame_fault: z
    .strictObject({
      at: count,
      kind: z.enum(['prelude_checksum', 'checksum', 'huge', 'longer', 'half', 'end', 'unknown', 'exception']),
      /** Such as `throttlingException`. */
      exception: z.string().max(100).optional(),
    })
    .optional(),
  /** The answer has this many words. */
  words: count.max(1_000_000).optional(),
  /** Work that goes on after its answer takes so long. */
  background_ms: count.optional(),
  /** It ends without an answer, and is charged nothing. */
  background_fails: z.boolean().optional(),
  /** Calls this tool where it is offered and has not said anything yet. */
  call: z.strictObject({ name: z.string(), args: z.record(z.string(), z.unknown()) }).optional(),
  /** The answer is exactly this. */
  text: z.string().optional(),
  usage: z
    .strictObject({
      input: count,
      output: count,
      cache_read: count,
      cache_write: count,
      cache_write_1h: count,
      reasoning: count,
      audio_in: count,
      audio_out: count,
      image_in: count,
      image_out: count,
      cached_audio: count,
      cached_image: count,
    })
    .partial()
    .optional(),
  ...EXTRAS_SHAPE,
  /** Streams, or answers whole, whatever the request asked for. */
  stream: z.boolean().optional(),
  finish: z.enum(['stop', 'length', 'refusal']).optional(),
  crlf: z.boolean().optional(),
  no_done: z.boolean().optional(),
  content_type: z.string().optional(),
  /** Cuts the byte stream into pieces of so many bytes. */
  chunk_bytes: z.int().positive().optional(),
});
export type Script = z.infer<typeof scriptSchema>;

/** A script in a user's text: `[[sim {"status":500}]]`. It passes any relay. */
const IN_TEXT = /\[\[sim (\{.*?\})\]\]/s;

/** @throws Error with what is wrong, for the caller to answer with 400. */
export function parseScript(written: string): Script {
  try {
    return scriptSchema.parse(JSON.parse(written));
  } catch (error) {
    throw new Error(`The script cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** What holds for one request: its own script over the default one. @throws as {@link parseScript} does. */
export function findScript(text: string, header: string | undefined, defaults: Script): Script {
  const written = header ?? IN_TEXT.exec(text)?.[1];
  return written === undefined ? defaults : { ...defaults, ...parseScript(written) };
}

export const withoutScript = (text: string): string => text.replace(IN_TEXT, '').trim();
