import {
  type AnswerCase,
  answerFiles,
  answerPairs,
  toBytes,
  type CaseEvent,
  clientBytes,
  clientEvents,
  readAnswerCase,
  convertStreamed,
  convertWholeAnswer,
  writeAnswerCase,
} from './golden/answer-cases.ts';

const update = process.env['UPDATE_GOLDEN'] === '1';

const touched = (cases: readonly AnswerCase[]) =>
  new Set(cases.flatMap((each) => answerPairs(each).map(({ from, to }) => `${to} to ${from}`))).size;

describe('whole answers', () => {
  const files = answerFiles('answers');

  describe.each(files)('%s', (file) => {
    const answer = readAnswerCase('answers', file);

    afterAll(() => {
      if (update) writeAnswerCase('answers', file, answer);
    });

    test.each(answerPairs(answer))('$to to $from', (pair) => {
      const outcome = convertWholeAnswer(pair);
      if (update) pair.upstream.to[pair.from] = outcome;
      expect(outcome).toEqual(pair.upstream.to[pair.from]);
    });
  });

  test('touch every pair of formats', () => {
    expect(touched(files.map((file) => readAnswerCase('answers', file)))).toBe(16);
  });
});

describe('streams', () => {
  const files = answerFiles('streams');

  describe.each(files)('%s', (file) => {
    const answer = readAnswerCase('streams', file);

    afterAll(() => {
      if (update) writeAnswerCase('streams', file, answer);
    });

    test.each(answerPairs(answer))('$to to $from', (pair) => {
      const bytes = convertStreamed(pair, [toBytes(pair.to, pair.upstream.events ?? [])]);
      if (update) pair.upstream.to[pair.from] = clientEvents(bytes);
      const expected = pair.upstream.to[pair.from] as readonly CaseEvent[];
      expect(bytes).toBe(clientBytes(pair.from, expected));
    });
  });

  test('touch every pair of formats', () => {
    expect(touched(files.map((file) => readAnswerCase('streams', file)))).toBe(16);
  });
});
