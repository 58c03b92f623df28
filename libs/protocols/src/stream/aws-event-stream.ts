import { crc32 } from 'node:zlib';

/** A message of `application/vnd.amazon.eventstream`, of whose headers the texts are kept. */
export interface EventFrame {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** Bytes that are no event stream, or one with a fault. */
export class EventStreamError extends Error {}

interface EventFrameSplitter {
  /** The frames that these bytes, cut anywhere, complete, one by one up to a fault. @throws EventStreamError */
  push(chunk: Buffer): Generator<EventFrame>;
}

/** The total length, the length of the headers and a checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** As long as AWS's own clients take; a longer one is refused before anything is set aside for it. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Cuts an event stream into its frames. Nothing is set aside by what a length says: bytes are kept as they come. */
export function createEventFrameSplitter(): EventFrameSplitter {
  let chunks: Buffer[] = [];
  let length = 0;
  /** Of the frame that has begun, once it is known. */
  let frameBytes: number | undefined;

  const joined = (): Buffer => {
    const [first] = chunks;
    const all = chunks.length === 1 && first ? first : Buffer.concat(chunks, length);
    chunks = [all];
    return all;
  };

  return {
    *push(chunk) {
      if (chunk.length > 0) chunks.push(chunk);
      length += chunk.length;
      for (;;) {
        if (length < PRELUDE_BYTES) return;
        frameBytes ??= readLength(joined());
        if (length < frameBytes) return;
        const all = joined();
        const frame = readFrame(all.subarray(0, frameBytes));
        const rest = all.subarray(frameBytes);
        chunks = rest.length > 0 ? [rest] : [];
        length = rest.length;
        frameBytes = undefined;
        yield frame;
      }
    },
  };
}

function readLength(bytes: Buffer): number {
  const total = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new EventStreamError('the checksum of a frame’s beginning is wrong');
  if (total > MAX_FRAME_BYTES) throw new EventStreamError(`a frame has ${total} bytes`);
  if (total < PRELUDE_BYTES + headers + CHECKSUM_BYTES)
    throw new EventStreamError('a frame is shorter than its headers');
  return total;
}

function readFrame(bytes: Buffer): EventFrame {
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw new EventStreamError('the checksum of a frame is wrong');
  const headersEnd = PRELUDE_BYTES + bytes.readUInt32BE(4);
  return {
    headers: readHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd)),
    payload: bytes.subarray(headersEnd, end),
  };
}

/** Bytes of a value by its type; those of types that are not here begin with their length. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES = 6;
const TEXT = 7;

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new EventStreamError('a header of a frame is cut');
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString('utf8');
    const type = take(1).readUInt8();
    const fixed = VALUE_BYTES[type];
    if (fixed === undefined && type !== BYTES && type !== TEXT)
      throw new EventStreamError(`a header of a frame has the type ${type}`);
    const value = take(fixed ?? take(2).readUInt16BE());
    if (type === TEXT) headers[name] = value.toString('utf8');
  }
  return headers;
}
