import fc from 'fast-check';
import { createJsonSkim } from './skim-json.ts';

/** What is left of a value whose long texts are skipped. */
function skimmed(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.byteLength(JSON.stringify(value)) - 2 > 4_096 ? '' : value;
  if (Array.isArray(value)) return value.map(skimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, skimmed(each)]));
}

function readInPieces(bytes: Buffer, size: number) {
  const skim = createJsonSkim();
  for (let at = 0; at < bytes.length; at += size) skim.push(bytes.subarray(at, at + size));
  return skim;
}

const long = fc.integer({ min: 4_000, max: 20_000 }).map((length) => 'Qf\\"{['.repeat(length / 6));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'grapheme' }),
    long,
    fc.integer(),
    fc.constantFrom('\\', '"', '\\\\"', '}', ']', '\\u0022'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
}));

test('every value is read but for its long texts, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.record({ data: value }), fc.integer({ min: 1, max: 5_000 }), (whole, size) => {
      const skim = readInPieces(Buffer.from(JSON.stringify(whole)), size);
      expect(skim.isWhole()).toBe(true);
      expect(skim.read()).toEqual(skimmed(whole));
    }),
    { numRuns: 200 },
  );
});

test('a value of megabytes is read byte by byte', () => {
  const whole = { created: 1, data: [{ b64_json: 'A'.repeat(300_000) }], usage: { input_tokens: 7 } };
  const skim = readInPieces(Buffer.from(JSON.stringify(whole)), 1);
  expect(skim.read()).toEqual({ created: 1, data: [{ b64_json: '' }], usage: { input_tokens: 7 } });
});

test.each(['', '   ', '{"a":"b', '{"a":[1,2}', '{"a":1', '[', '{"a":"\\"}'])(
  '%j is not whole, or no JSON',
  (text) => {
    expect(readInPieces(Buffer.from(text), 3).read()).toBeUndefined();
  },
);

test('what holds too much beside its long texts is not read', () => {
  const skim = readInPieces(Buffer.from(JSON.stringify(Array.from({ length: 400_000 }, () => 17))), 65_536);
  expect(skim.isWhole()).toBe(true);
  expect(skim.read()).toBeUndefined();
});
