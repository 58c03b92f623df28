import fc from 'fast-check';
import { everyCut, goldenStream, SSE_STREAMS } from '../golden/cuts.ts';
import { createSseSplitter, parseJson } from '../index.ts';

function split(chunks: readonly Buffer[]) {
  const splitter = createSseSplitter();
  const records = chunks.flatMap((chunk) => splitter.push(chunk));
  return [...records, ...splitter.flush()];
}
/** The records as one text: comparing it is far quicker than comparing buffers one by one. */
const shown = (chunks: readonly Buffer[]) =>
  JSON.stringify(split(chunks).map(({ raw, event, data }) => [raw.toString('latin1'), event, data]));
const splitText = (text: string) => split([Buffer.from(text)]);
const read = (text: string) =>
  splitText(text)
    .filter(({ data }) => data !== undefined)
    .map(({ event, data }) => ({ event, data }));

describe.each(SSE_STREAMS)('%s', (name) => {
  const bytes = goldenStream(name);

  test('every record but the end mark holds JSON', () => {
    const data = split([bytes]).flatMap((record) => record.data ?? []);
    expect(data.length).toBeGreaterThan(2);
    for (const json of data.filter((text) => text !== '[DONE]'))
      expect(parseJson(json)).toBeInstanceOf(Object);
  });

  test('gives the same records wherever it is cut', () => {
    const whole = shown([bytes]);
    for (const chunks of everyCut(bytes)) expect(shown(chunks)).toBe(whole);
  });

  test.each(['\n', '\r\n', '\r'])('says the same with lines that end in %j', (lineEnd) => {
    const text = bytes.toString('utf8').replaceAll('\r\n', '\n');
    const same = Buffer.from(text.replaceAll('\n', lineEnd));
    expect(read(same.toString('utf8'))).toEqual(read(text));
    const whole = shown([same]);
    for (const chunks of everyCut(same)) expect(shown(chunks)).toBe(whole);
  });

  test('without its last blank line it says the same', () => {
    const text = bytes.toString('utf8');
    expect(read(text.trimEnd())).toEqual(read(text));
  });
});

test('records are handed out as soon as their blank line is there', () => {
  const splitter = createSseSplitter();
  expect(splitter.push(Buffer.from('data: 1\n'))).toEqual([]);
  expect(splitter.push(Buffer.from('\ndata: 2'))).toHaveLength(1);
  expect(splitter.push(Buffer.from('\r\n\r'))).toEqual([]);
  expect(splitter.push(Buffer.from('\n'))).toMatchObject([{ data: '2' }]);
  expect(splitter.flush()).toEqual([]);
});

test.each([
  ['a name', 'event: ping\ndata: 1\n\n', [{ event: 'ping', data: '1' }]],
  ['no space behind the colon', 'event:ping\ndata:1\n\n', [{ event: 'ping', data: '1' }]],
  ['two spaces behind the colon, one of which is data', 'data:  1\n\n', [{ event: undefined, data: ' 1' }]],
  ['several lines of data', 'data: {\ndata:\ndata: }\n\n', [{ event: undefined, data: '{\n\n}' }]],
  ['fields that nobody asked for', 'id: 5\nretry: 9\ndata: 1\n\n', [{ event: undefined, data: '1' }]],
  ['a comment beside its data', ': hello\ndata: 1\n\n', [{ event: undefined, data: '1' }]],
  ['empty data', 'data:\n\n', [{ event: undefined, data: '' }]],
  ['only a comment', ': hello\n\n', []],
  ['only blank lines', '\n\r\n\n', []],
  ['a field that begins like data', 'database: 1\n\n', []],
])('a record with %s is read', (_, text, records) => {
  expect(read(text)).toEqual(records);
});

test('a byte order mark may stand before the first record', () => {
  expect(read('\u{feff}data: 1\n\n\u{feff}data: 2\n\n')).toEqual([{ event: undefined, data: '1' }]);
  const bytes = Buffer.from('\u{feff}event: a\ndata: 1\n\n');
  for (const chunks of everyCut(bytes)) {
    expect(split(chunks)).toEqual([{ raw: bytes, event: 'a', data: '1' }]);
  }
});

test('no byte is lost or added, whatever arrives in whatever pieces', () => {
  const pieces = fc.oneof(
    fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'data: ', 'event: ', ': ', '\u{feff}'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(pieces.map((piece) => Buffer.from(piece))), (chunks) => {
      expect(Buffer.concat(split(chunks).map(({ raw }) => raw))).toEqual(Buffer.concat(chunks));
    }),
  );
});

test('pieces of any size give the records of the whole', () => {
  const lines = fc.array(fc.constantFrom('data: é', 'data:{}', 'event: x', ': c', '', '', 'id: 1'));
  fc.assert(
    fc.property(
      lines,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 9 }),
      (list, end, size) => {
        const bytes = Buffer.from(list.map((line) => line + end).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(shown(chunks)).toBe(shown([bytes]));
      },
    ),
  );
});
