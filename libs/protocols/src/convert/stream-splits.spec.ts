import { everyCut } from '../golden/cuts.ts';
import { parseJson } from '../json.ts';
import { createStreamConverter } from './convert-stream.ts';
import {
  type AnswerPair,
  answerFiles,
  answerPairs,
  toBytes,
  type CaseEvent,
  clientBytes,
  createPlan,
  readAnswerCase,
  convertStreamed,
} from './golden/answer-cases.ts';

const LINE_ENDS = [
  ['LF', (text: string) => text],
  ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
] as const;

const named = (file: string) =>
  answerPairs(readAnswerCase('streams', file)).map((pair) => ({ ...pair, file }));
const PAIRS = answerFiles('streams').flatMap(named);

const upstreamBytes = ({ to, upstream }: AnswerPair, lineEnds: (text: string) => string): Buffer =>
  Buffer.from(lineEnds(toBytes(to, upstream.events ?? []).toString('utf8')));

/**
 * Pieces of one length, the first of them shorter: every offset is cut in one of as many runs as that length.
 *
 * @param step more than 1, where some of these runs are enough.
 */
function* pieces(bytes: Buffer, length: number, step = 1): Generator<Buffer[]> {
  for (let first = 1; first <= length; first += step) {
    const chunks = [bytes.subarray(0, first)];
    for (let at = first; at < bytes.length; at += length) chunks.push(bytes.subarray(at, at + length));
    yield chunks;
  }
}

describe.each(LINE_ENDS)('a stream with %s', (_, lineEnds) => {
  test.each(PAIRS)('$file from $to to $from is the same in pieces', (pair) => {
    const whole = convertStreamed(pair, [toBytes(pair.to, pair.upstream.events ?? [])]);
    const bytes = upstreamBytes(pair, lineEnds);
    // Every offset within a line, between lines and between events; and pieces that have several events.
    const runs = [
      ...[1, 2, 3, 7, 17].flatMap((length) => [...pieces(bytes, length)]),
      ...pieces(bytes, 400, 50),
    ];
    const converted = runs.map((chunks) => convertStreamed(pair, chunks));
    expect(converted.filter((each) => each !== whole)).toEqual([]);
  });

  test.each(named('text-beyond-ascii.json'))(
    '$file from $to to $from is the same wherever it is cut',
    (pair) => {
      const whole = convertStreamed(pair, [toBytes(pair.to, pair.upstream.events ?? [])]);
      const converted = [...everyCut(upstreamBytes(pair, lineEnds))].map((chunks) =>
        convertStreamed(pair, chunks),
      );
      expect(converted.filter((each) => each !== whole)).toEqual([]);
    },
  );
});

/** Gemini without `alt=sse`: the events are the elements of one array. */
const isArrayClient = ({ from }: AnswerPair) => from === 'gemini';
const isArrayUpstream = ({ to, upstream }: AnswerPair) =>
  to === 'gemini' && (upstream.events ?? []).every((event) => typeof event !== 'string');

test.each(PAIRS.filter(isArrayClient))('$file from $to is the same as one array', (pair) => {
  const plan = createPlan(pair.from, pair.to, pair.upstream.tools);
  const asArray = { ...plan, answer: { ...plan.answer, framing: 'json-array' as const } };
  const converter = createStreamConverter(asArray, 'sse');
  const passed = [converter.push(toBytes(pair.to, pair.upstream.events ?? [])), converter.end()];
  const text = Buffer.concat(passed.filter((piece) => piece !== undefined)).toString('utf8');
  expect(parseJson(text)).toEqual(pair.upstream.to.gemini);
});

test.each(PAIRS.filter(isArrayUpstream))('$file as one array is the same to $from', (pair) => {
  const bytes = Buffer.from(JSON.stringify(pair.upstream.events, null, 1));
  for (const length of [1, 5]) {
    const converter = createStreamConverter(
      createPlan(pair.from, pair.to, pair.upstream.tools),
      'json-array',
    );
    const [chunks = []] = pieces(bytes, length);
    const passed = [...chunks.map((chunk) => converter.push(chunk)), converter.end()];
    const text = Buffer.concat(passed.filter((piece) => piece !== undefined)).toString('utf8');
    expect(text).toBe(clientBytes(pair.from, pair.upstream.to[pair.from] as readonly CaseEvent[]));
  }
});
