import fc from 'fast-check';
import { snappyUncompress } from 'hyparquet';
import { compress } from './snappy.ts';

const anything = fc.uint8Array({ maxLength: 400 });
/** Pieces that come again, near and far, short and long. */
const repeated = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 90 }), fc.constantFrom(1, 2, 7, 40, 900)), {
    maxLength: 20,
  })
  .map((pieces) =>
    Uint8Array.from(
      pieces.flatMap(([piece, times]) => Array.from({ length: times }, () => [...piece]).flat()),
    ),
  );

test('what was compressed is read as it was', () => {
  fc.assert(
    fc.property(fc.oneof(anything, repeated), (bytes) => {
      const found = new Uint8Array(bytes.length);
      snappyUncompress(compress(bytes), found);
      expect(Buffer.compare(found, bytes)).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test('what comes again takes little', () => {
  expect(compress(new Uint8Array(65_536)).length).toBeLessThan(3_200);
});
