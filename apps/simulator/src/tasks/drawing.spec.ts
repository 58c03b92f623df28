import { crc32, inflateSync } from 'node:zlib';
import { drawBase64 } from './drawing.ts';

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Each part of a PNG, in order. @throws where its check sum is wrong. */
function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== png.readUInt32BE(at + 8 + length)) throw new Error('a wrong check sum');
    chunks.push({ type: body.subarray(0, 4).toString('latin1'), data: body.subarray(4) });
    at += 12 + length;
  }
  return chunks;
}

test.each([10, 512, 300_000])('a picture of %i bytes can be decoded', (image_bytes) => {
  const png = Buffer.from(drawBase64('a lighthouse', 0, { image_bytes }), 'base64');
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  const chunks = readChunks(png);
  expect([chunks[0]?.type, chunks.at(-1)?.type]).toEqual(['IHDR', 'IEND']);
  const [width = 0, height = 0] = [0, 4].map((at) => chunks[0]?.data.readUInt32BE(at));
  const pixels = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((each) => each.data)),
  );
  // Three bytes of a pixel, and one before each row.
  expect(pixels.length).toBe((width * 3 + 1) * height);
  if (image_bytes >= 512) expect(png.length).toBe(image_bytes);
});

test('the same is drawn of the same, and another picture of another prompt', () => {
  expect(drawBase64('a cat', 0, {})).toBe(drawBase64('a cat', 0, {}));
  expect(drawBase64('a cat', 1, {})).not.toBe(drawBase64('a cat', 0, {}));
  expect(drawBase64('a dog', 0, {})).not.toBe(drawBase64('a cat', 0, {}));
});
