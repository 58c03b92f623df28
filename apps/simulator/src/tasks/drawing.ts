import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { withoutScript, type Script } from '../script.ts';

/** What the log of answers counts for a picture of which no tokens are known. */
export const ONE_PICTURE = 1;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** So many fields a side, of one colour each, of so many pixels a side. */
const FIELDS = 4;
const FIELD_PIXELS = 16;
const SIDE = FIELDS * FIELD_PIXELS;
const CHUNK_FRAME_BYTES = 12;

/** A picture that depends on what was asked alone, in as many bytes as the script says, as far as it needs no more. */
export function drawBase64(prompt: string, index: number, { image_bytes = 512 }: Script): string {
  const seed = createHash('sha256')
    .update(`${index} ${withoutScript(prompt)}`)
    .digest();
  const header = toChunk('IHDR', Buffer.from([0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 2, 0, 0, 0]));
  const pixels = toChunk('IDAT', deflateSync(paint(seed)));
  const end = toChunk('IEND', Buffer.alloc(0));
  const needed = SIGNATURE.length + header.length + pixels.length + end.length;
  const spare = image_bytes - needed - CHUNK_FRAME_BYTES;
  // Nobody reads it: it makes the picture as large as it is to be.
  const filler = spare < 0 ? [] : [toChunk('siMu', Buffer.alloc(spare, seed))];
  return Buffer.concat([SIGNATURE, header, pixels, ...filler, end]).toString('base64');
}

/** Rows of pixels, each behind the number of its filter, which is none. */
function paint(seed: Buffer): Buffer {
  const colourAt = (row: number, column: number) => {
    const at = row * FIELDS + column;
    return [0, 11, 23].map((step) => seed[(at + step) % seed.length] ?? 0);
  };
  return Buffer.concat(
    Array.from({ length: SIDE }, (_, y) => {
      const row = Math.floor(y / FIELD_PIXELS);
      const fields = Array.from({ length: FIELDS }, (_field, column) => colourAt(row, column));
      return Buffer.from([
        0,
        ...fields.flatMap((colour) => Array.from({ length: FIELD_PIXELS }, () => colour).flat()),
      ]);
    }),
  );
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
