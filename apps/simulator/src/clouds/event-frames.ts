import { crc32 } from 'node:zlib';
import type { Script } from '../script.ts';

const TEXT = 7;
export const JSON_TYPE = { ':content-type': 'application/json' } as const;

/** In a stream an error is a frame of its own kind. */
export const encodeException = (name: string, json: string): Buffer =>
  encodeFrame({ ':exception-type': name, ...JSON_TYPE, ':message-type': 'exception' }, json);

/** A message of `application/vnd.amazon.eventstream`, written from its description: what reads it shares no line with this. */
export function encodeFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const encoded = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([TEXT]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + encoded.length + body.length + 4, 0);
  prelude.writeUInt32BE(encoded.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, encoded, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

const CHECKSUM_AT = 8;

/** The frames of a stream as a script spoils one of them, or ends them there. */
export function damageFrames(frames: readonly Buffer[], { frame_fault: fault }: Script): readonly Buffer[] {
  if (!fault) return frames;
  const { at, kind } = fault;
  const [before, frame = Buffer.alloc(0), after] = [frames.slice(0, at), frames[at], frames.slice(at + 1)];
  switch (kind) {
    case 'prelude_checksum':
      return [...before, withFlippedByte(frame, CHECKSUM_AT), ...after];
    case 'checksum':
      return [...before, withFlippedByte(frame, frame.length - 1), ...after];
    case 'huge':
      return [...before, withLength(frame, 0xff_ff_ff_ff), ...after];
    case 'longer':
      return [...before, withLength(frame, frame.length + 1_000_000), ...after];
    case 'half':
      return [...before, frame.subarray(0, frame.length / 2)];
    case 'end':
      return before;
    case 'unknown':
      return [
        ...before,
        encodeFrame({ ':event-type': 'novelEvent', ':message-type': 'event' }, '{"novel":1}'),
        frame,
        ...after,
      ];
    case 'exception':
      return [...before, encodeException(fault.exception ?? 'internalServerException', MESSAGE)];
  }
}

const MESSAGE = '{"message":"The simulator was told to break off."}';

function withFlippedByte(frame: Buffer, at: number): Buffer {
  const spoilt = Buffer.from(frame);
  spoilt.writeUInt8(frame.readUInt8(at) ^ 1, at);
  return spoilt;
}

/** A length that is not its own, and the checksum that belongs to it. */
function withLength(frame: Buffer, length: number): Buffer {
  const lying = Buffer.from(frame);
  lying.writeUInt32BE(length, 0);
  lying.writeUInt32BE(crc32(lying.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return lying;
}
