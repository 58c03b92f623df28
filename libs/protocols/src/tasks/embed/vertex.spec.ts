import type { TaskFormat } from '@tollgate/vocabulary';
import { TASK_CODECS } from '../../index.ts';

const VECTOR = [0.5, -1, 0.25, 2];

type Body = Readonly<Record<string, unknown>>;

function convert(from: TaskFormat, body: Body, upstreamModel: string) {
  const { convert } = TASK_CODECS.embed;
  const bytes = Buffer.from(JSON.stringify(body));
  const names = { model: 'm', namedModel: 'm', upstreamModel };
  return convert({ from, to: 'vertex', bytes, body, ...names, maxInputs: undefined, strict: false });
}

function converted(...args: Parameters<typeof convert>) {
  const result = convert(...args);
  if (!result.ok) throw new Error(result.error.message);
  return { ...result, sent: result.bodies.map((each) => JSON.parse(each.toString()) as Body) };
}

/** What an answer of Vertex is metered as. */
function countInput(answer: Body) {
  const usage = TASK_CODECS.embed.upstreams.vertex?.rules.usage;
  const found = usage?.findInBody(answer);
  return found && usage?.toTokens(found);
}

test('Vertex is asked for predictions of each text, and tells of each what it counts', () => {
  const body = { model: 'm', input: ['a', 'b'], dimensions: 4, input_type: 'query' };
  const { sent, toAnswer } = converted('openai', body, 'gemini-embedding-001');
  expect(sent).toEqual(
    ['a', 'b'].map((content) => ({
      instances: [{ content, task_type: 'RETRIEVAL_QUERY' }],
      parameters: { outputDimensionality: 4 },
    })),
  );
  const answer = { predictions: [{ embeddings: { values: VECTOR, statistics: { token_count: 3 } } }] };
  expect(toAnswer([answer, answer], 6)).toMatchObject({ body: { data: { length: 2 } } });
  expect(toAnswer([answer, { predictions: [{}] }], 6)).toBe('unreadable');
  expect(countInput(answer)).toEqual({ input: 3 });
  expect(countInput({ predictions: [{ embeddings: { values: VECTOR } }] })).toBeUndefined();
});

test('newer models of Gemini are asked on Vertex much as at Gemini’s API', () => {
  const content = { parts: [{ text: 'a' }] };
  const title = { taskType: 'RETRIEVAL_DOCUMENT', title: 't' };
  expect(
    converted('gemini-single', { content, ...title, outputDimensionality: 4 }, 'gemini-embedding-2').sent,
  ).toEqual([{ content, embedContentConfig: { ...title, outputDimensionality: 4 } }]);
  const { sent, toAnswer } = converted('openai', { model: 'm', input: 'a' }, 'gemini-embedding-2');
  expect(sent).toEqual([{ content }]);
  const answer = { embedding: { values: VECTOR }, usageMetadata: { promptTokenCount: 3 } };
  expect(toAnswer([answer], 3)).toMatchObject({
    body: { data: [{ index: 0 }], usage: { prompt_tokens: 3 } },
  });
  expect(countInput(answer)).toEqual({ input: 3 });
});

test.each([
  ['gemini-embedding-001', '/models/gemini-embedding-001:predict'],
  ['text-multilingual-embedding-002', '/models/text-multilingual-embedding-002:predict'],
  ['gemini-embedding-2', '/models/gemini-embedding-2:embedContent'],
])('%s is at %s', (model, path) => {
  expect(TASK_CODECS.embed.upstreams.vertex?.path(model)).toBe(path);
});

test('tokens cannot be carried', () => {
  expect(convert('openai', { model: 'm', input: [1, 2] }, 'gemini-embedding-2')).toMatchObject({
    ok: false,
    error: { kind: 'unsupported', param: 'input' },
  });
});
