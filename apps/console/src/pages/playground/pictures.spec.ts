import { toBase64, isTooLarge, readPicture } from './pictures.ts';

test.each([0, 1, 2, 3, 32_767, 32_768, 100_001])('%i bytes are written in base 64', (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

test('a file is read with its name and type, and five megabytes are the most', async () => {
  const file = new File([new Uint8Array([1, 2, 3])], 'dot.png', { type: 'image/png' });
  expect(await readPicture(file)).toEqual({ name: 'dot.png', type: 'image/png', base64: 'AQID' });
  expect([isTooLarge({ size: 5_242_880 }), isTooLarge({ size: 5_242_881 })]).toEqual([false, true]);
});
