import fc from 'fast-check';
import { everyCut, goldenStream } from '../golden/cuts.ts';
import { createJsonArraySplitter } from '../index.ts';

function split(chunks: readonly Buffer[]) {
  const splitter = createJsonArraySplitter();
  const pieces = chunks.flatMap((chunk) => splitter.push(chunk));
  return [...pieces, ...splitter.flush()];
}
const elementsOf = (chunks: readonly Buffer[]) => split(chunks).flatMap(({ element }) => element ?? []);
const bytesOf = (chunks: readonly Buffer[]) => Buffer.concat(split(chunks).map(({ raw }) => raw));

const golden = goldenStream('gemini.json');

test('the golden array gives its elements and all its bytes wherever it is cut', () => {
  const values = JSON.parse(golden.toString('utf8')) as unknown[];
  for (const chunks of everyCut(golden)) {
    expect(elementsOf(chunks).map((element) => JSON.parse(element) as unknown)).toEqual(values);
    expect(bytesOf(chunks).equals(golden)).toBe(true);
  }
});

test('an element is handed out with its closing brace', () => {
  const splitter = createJsonArraySplitter();
  expect(splitter.push(Buffer.from('[{"a":{"b":1'))).toMatchObject([{ element: undefined }]);
  expect(splitter.push(Buffer.from('}'))).toEqual([]);
  expect(splitter.push(Buffer.from('}'))).toMatchObject([{ element: '{"a":{"b":1}}' }]);
  expect(splitter.push(Buffer.from(']'))).toMatchObject([{ element: undefined }]);
  expect(splitter.flush()).toEqual([]);
});

test.each([
  ['braces in texts', '[{"a":"}{"}]', ['{"a":"}{"}']],
  ['quotes in texts', '[{"a":"\\"}"}]', ['{"a":"\\"}"}']],
  ['backslashes at the end of texts', '[{"a":"\\\\"},{"b":1}]', ['{"a":"\\\\"}', '{"b":1}']],
  ['empty objects', '[{},{}]', ['{}', '{}']],
  ['lists inside', '[{"a":[{},[{}]]}]', ['{"a":[{},[{}]]}']],
  ['nothing', '[]', []],
])('an array with %s is cut right', (_, text, elements) => {
  const bytes = Buffer.from(text);
  for (const chunks of everyCut(bytes)) {
    expect(elementsOf(chunks)).toEqual(elements);
    expect(bytesOf(chunks)).toEqual(bytes);
  }
});

test('what a broken stream leaves is passed on but is no element', () => {
  const bytes = Buffer.from('[{"a":1},{"b":');
  expect(elementsOf([bytes])).toEqual(['{"a":1}']);
  expect(bytesOf([bytes])).toEqual(bytes);
});

test('any array of objects, laid out in any way and cut in any size, gives its elements', () => {
  const objects = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()));
  fc.assert(
    fc.property(objects, fc.nat({ max: 3 }), fc.integer({ min: 1, max: 40 }), (values, indent, size) => {
      const bytes = Buffer.from(JSON.stringify(values, null, indent));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const found = elementsOf(chunks).map((element) => JSON.parse(element) as unknown);
      expect(found).toEqual(JSON.parse(bytes.toString('utf8')));
      expect(bytesOf(chunks)).toEqual(bytes);
    }),
  );
});
