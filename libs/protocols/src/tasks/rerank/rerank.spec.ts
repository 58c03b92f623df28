import type { TaskFormat } from '@tollgate/vocabulary';
import { findTaskClient, TASK_CODECS } from '../../index.ts';

type Body = Readonly<Record<string, unknown>>;
const BODY = { model: 'm', query: 'q', documents: ['a', { text: 'b' }, 'c'], top_n: 2 };

function convert(from: TaskFormat, to: TaskFormat, body: Body = BODY, maxInputs?: number) {
  const bytes = Buffer.from(JSON.stringify(body));
  const names = { model: 'm', namedModel: 'm', upstreamModel: 'm' };
  const result = TASK_CODECS.rerank.convert({ from, to, bytes, body, ...names, maxInputs, strict: false });
  if (!result.ok) throw new Error(result.error.message);
  return { ...result, sent: result.bodies.map((each) => JSON.parse(each.toString()) as Body) };
}

test('documents of objects are texts for those who take nothing else', () => {
  expect(convert('jina', 'cohere').sent).toEqual([
    { model: 'm', query: 'q', documents: ['a', 'b', 'c'], top_n: 2 },
  ]);
});

test('a bare list of scores becomes what clients read, over several calls', () => {
  const { sent, toAnswer } = convert('cohere', 'tei', { ...BODY, return_documents: true }, 2);
  expect(sent.map(({ texts }) => texts)).toEqual([['a', 'b'], ['c']]);
  const first = [
    { index: 1, score: 0.5 },
    { index: 0, score: 0.1 },
  ];
  expect(toAnswer([first, [{ index: 0, score: 0.9 }]], 7)).toEqual({
    body: {
      object: 'list',
      model: 'm',
      results: [
        { index: 2, relevance_score: 0.9, document: { text: 'c' } },
        { index: 1, relevance_score: 0.5, document: { text: 'b' } },
      ],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    },
  });
});

test.each([
  [[{ index: 3, score: 1 }]],
  [
    [
      { index: 0, score: 1 },
      { index: 0, score: 1 },
    ],
  ],
  [[{ index: 0 }]],
  [[]],
  [{ results: [] }],
])('%j ranks nothing of the request', (answer) => {
  expect(convert('jina', 'tei').toAnswer([answer], 1)).toBe('unreadable');
});

test('units are held for documents that count as several, and counted by the hundred', () => {
  const { readUnits } = findTaskClient({ task: 'rerank', format: 'jina' });
  expect(readUnits?.(BODY)).toEqual({ rerank_units: { counted: 1, max: 1 } });
  const long = { ...BODY, documents: Array.from({ length: 100 }, () => 'a'.repeat(5_000)) };
  expect(readUnits?.(long)).toEqual({ rerank_units: { counted: 1, max: 9 } });
});
