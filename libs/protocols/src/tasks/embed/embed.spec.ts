import type { TaskFormat } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { decodeRequest, TASK_CODECS } from '../../index.ts';
import { toEncoding } from './embedding.ts';

const VECTOR = [0.5, -1, 0.25, 2];
/** Of the vendor's own documentation of the layout. */
const AS_BASE64 = 'AAAAPwAAgL8AAIA+AAAAQA==';

type Body = Readonly<Record<string, unknown>>;

function convert(
  from: TaskFormat,
  to: TaskFormat,
  body: Body,
  more: { upstreamModel?: string; maxInputs?: number; strict?: boolean } = {},
) {
  return TASK_CODECS.embed.convert({
    from,
    to,
    bytes: Buffer.from(JSON.stringify(body)),
    body,
    model: 'm',
    namedModel: 'm',
    upstreamModel: 'm',
    maxInputs: undefined,
    strict: false,
    ...more,
  });
}

function converted(...args: Parameters<typeof convert>) {
  const result = convert(...args);
  if (!result.ok) throw new Error(result.error.message);
  const bodies = result.bodies.map((each) => JSON.parse(each.toString()) as Body);
  return { ...result, sent: bodies };
}

const openaiAnswer = (embeddings: readonly unknown[]) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  usage: { prompt_tokens: 3, total_tokens: 3 },
});

test('32-bit floats are the same numbers either way', () => {
  expect(toEncoding(VECTOR, 'base64')).toBe(AS_BASE64);
  expect(toEncoding(AS_BASE64, 'float')).toEqual(VECTOR);
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true }), { minLength: 1 }), (vector) => {
      expect(toEncoding(toEncoding(vector, 'base64'), 'float')).toEqual(vector);
    }),
  );
});

test('a request in the format of its upstream keeps its bytes, but for the name of its model', () => {
  const bytes = Buffer.from('{ "input":"Hello" , "model" : "m","odd":1.50}');
  const request = {
    from: 'openai',
    to: 'openai',
    bytes,
    body: JSON.parse(bytes.toString()) as Body,
  } as const;
  const rest = { model: 'm', namedModel: 'm', maxInputs: undefined, strict: true };
  const same = TASK_CODECS.embed.convert({ ...request, ...rest, upstreamModel: 'm' });
  expect(same.ok && same.bodies[0]).toBe(bytes);
  const renamed = TASK_CODECS.embed.convert({ ...request, ...rest, upstreamModel: 'other' });
  expect(renamed.ok && renamed.bodies.map(String)).toEqual([
    '{ "input":"Hello" , "model" : "other","odd":1.50}',
  ]);
});

test.each([
  ['float', VECTOR, 'as it is'],
  ['base64', AS_BASE64, 'as it is'],
  [undefined, VECTOR, 'as it is'],
  ['base64', VECTOR, AS_BASE64],
  ['float', AS_BASE64, VECTOR],
  [undefined, AS_BASE64, VECTOR],
])('asked for %j and answered %j, a client gets %j', (encoding_format, embedding, expected) => {
  const { toAnswer } = converted('openai', 'openai', { model: 'm', input: 'a', encoding_format });
  const answer = toAnswer([openaiAnswer([embedding])], 3);
  if (expected === 'as it is') return expect(answer).toBe('as it is');
  return expect(answer).toMatchObject({ body: { data: [{ index: 0, embedding: expected }] } });
});

test.each([
  ['too few', openaiAnswer([VECTOR])],
  ['too many', openaiAnswer([VECTOR, VECTOR, VECTOR])],
  ['one twice', { data: [0, 0].map((index) => ({ index, embedding: VECTOR })) }],
  ['no numbers', openaiAnswer([VECTOR, ['a']])],
  ['something else', { choices: [] }],
  ['nothing', undefined],
])('an answer with %s cannot be read', (_what, answer) => {
  const { toAnswer } = converted('openai', 'openai', { model: 'm', input: ['a', 'b'] });
  expect(toAnswer([answer], 1)).toBe('unreadable');
});

test('answers keep the order of the inputs, whatever order they come in', () => {
  const { sent, toAnswer } = converted(
    'openai',
    'openai',
    { model: 'm', input: ['a', 'b', 'c'] },
    { maxInputs: 2 },
  );
  expect(sent.map(({ input }) => input)).toEqual([['a', 'b'], ['c']]);
  const first = { data: [1, 0].map((index) => ({ index, embedding: [index] })) };
  const answer = toAnswer([first, { data: [{ index: 0, embedding: [2] }] }], 7);
  expect(answer).toEqual({
    body: {
      object: 'list',
      data: [0, 1, 2].map((index) => ({ object: 'embedding', index, embedding: [index] })),
      model: 'm',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    },
  });
});

test('OpenAI to Gemini, and back', () => {
  const body = { model: 'm', input: ['a', 'b'], dimensions: 4, encoding_format: 'base64' };
  const { sent, toAnswer } = converted('openai', 'gemini', body, { upstreamModel: 'gemini-embedding-001' });
  const model = 'models/gemini-embedding-001';
  expect(sent).toEqual([
    {
      requests: ['a', 'b'].map((text) => ({
        model,
        content: { parts: [{ text }] },
        outputDimensionality: 4,
      })),
    },
  ]);
  expect(toAnswer([{ embeddings: [{ values: VECTOR }, { values: VECTOR }] }], 5)).toMatchObject({
    body: { data: [{ embedding: AS_BASE64 }, { embedding: AS_BASE64 }], usage: { prompt_tokens: 5 } },
  });
});

test('an upstream that takes one text is asked once for each', () => {
  const { sent } = converted('openai', 'gemini-single', {
    model: 'm',
    input: ['a', 'b'],
    input_type: 'query',
  });
  expect(sent).toEqual(
    ['a', 'b'].map((text) => ({ content: { parts: [{ text }] }, taskType: 'RETRIEVAL_QUERY' })),
  );
});

test('Gemini to OpenAI, and back', () => {
  const content = { parts: [{ text: 'a' }, { text: 'b' }] };
  const body = { content, taskType: 'RETRIEVAL_DOCUMENT', title: 't', outputDimensionality: 4 };
  const { sent, dropped, toAnswer } = converted('gemini-single', 'openai', body);
  expect(sent).toEqual([{ model: 'm', input: ['a\nb'], encoding_format: 'float', dimensions: 4 }]);
  expect(dropped).toEqual(['taskType', 'title']);
  expect(toAnswer([openaiAnswer([VECTOR])], 3)).toEqual({
    body: { embedding: { values: VECTOR }, usageMetadata: { promptTokenCount: 3 } },
  });
  expect(convert('gemini-single', 'openai', body, { strict: true })).toMatchObject({
    ok: false,
    error: { kind: 'unsupported', param: 'taskType' },
  });
});

test('Cohere is told what vectors are for, and takes 96 texts at once', () => {
  const input = Array.from({ length: 100 }, (_, index) => `text ${index}`);
  const { sent, toAnswer } = converted('openai', 'cohere', { model: 'm', input, dimensions: 256 });
  expect(sent.map(({ texts }) => (texts as unknown[]).length)).toEqual([96, 4]);
  expect(sent[1]).toEqual({
    model: 'm',
    texts: input.slice(96),
    input_type: 'search_document',
    embedding_types: ['float'],
    output_dimension: 256,
  });
  const answerTo = (texts: number) => ({
    embeddings: { float: Array.from({ length: texts }, () => VECTOR) },
  });
  const answer = toAnswer([answerTo(96), answerTo(4)], 1);
  expect(answer).toMatchObject({ body: { data: { length: 100 } } });
  expect(toAnswer([answerTo(96), answerTo(3)], 1)).toBe('unreadable');
});

test.each<[string, TaskFormat, TaskFormat, Body, string]>([
  ['tokens to Gemini', 'openai', 'gemini', { input: [1, 2] }, 'input'],
  ['tokens to Cohere', 'openai', 'cohere', { input: [[1], [2]] }, 'input'],
  [
    'a picture to OpenAI',
    'gemini-single',
    'openai',
    { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } },
    'content',
  ],
  [
    'two lengths to OpenAI',
    'gemini',
    'openai',
    {
      requests: [4, 8].map((outputDimensionality) => ({
        content: { parts: [{ text: 'a' }] },
        outputDimensionality,
      })),
    },
    'outputDimensionality',
  ],
])('%s cannot be carried', (_what, from, to, body, param) => {
  expect(convert(from, to, { model: 'm', ...body })).toMatchObject({
    ok: false,
    error: { kind: 'unsupported', param },
  });
});

const decode = (format: 'openai' | 'gemini' | 'gemini-single', body: object) =>
  decodeRequest(format === 'openai' ? 'openai-chat' : 'gemini', Buffer.from(JSON.stringify(body)), {
    pathModel: 'm',
    task: { task: 'embed', format },
  });

test.each([
  ['no model', 'openai', { input: 'a' }, 'model'],
  ['no input', 'openai', { model: 'm' }, 'input'],
  ['an empty text', 'openai', { model: 'm', input: '' }, 'input'],
  ['an empty text among others', 'openai', { model: 'm', input: ['a', ''] }, 'input[1]'],
  ['an empty list', 'openai', { model: 'm', input: [] }, 'input'],
  ['texts and tokens', 'openai', { model: 'm', input: ['a', 1] }, 'input[1]'],
  ['tokens that are no numbers', 'openai', { model: 'm', input: [[1], ['a']] }, 'input[1][0]'],
  ['too many texts', 'openai', { model: 'm', input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
  ['no dimension', 'openai', { model: 'm', input: 'a', dimensions: 0 }, 'dimensions'],
  ['another encoding', 'openai', { model: 'm', input: 'a', encoding_format: 'int8' }, 'encoding_format'],
  ['no requests', 'gemini', { requests: [] }, 'requests'],
  ['no parts', 'gemini-single', { content: {} }, 'content.parts'],
  [
    'another model than the path',
    'gemini',
    { requests: [{ model: 'models/x', content: { parts: [{ text: 'a' }] } }] },
    'requests[0].model',
  ],
] as const)('%s is refused, by the name of the field', (_what, format, body, param) => {
  expect(decode(format, body)).toMatchObject({ ok: false, error: { kind: 'invalid_request', param } });
});

test.each([{ input: 'a' }, { input: ['a'] }, { input: [1] }, { input: [[1], [2, 3]] }])(
  '%j is taken',
  (body) => {
    expect(decode('openai', { model: 'm', ...body })).toMatchObject({
      ok: true,
      request: { model: 'm', stream: false },
    });
  },
);

const COHERE_ASKED = {
  model: 'm',
  texts: ['a', 'b'],
  input_type: 'search_query',
  embedding_types: ['base64', 'float'],
};

test('a client of Cohere is answered in its own words, whoever embeds', () => {
  const { sent, toAnswer } = converted('cohere', 'openai', { ...COHERE_ASKED, output_dimension: 4 });
  expect(sent).toEqual([{ model: 'm', input: ['a', 'b'], encoding_format: 'float', dimensions: 4 }]);
  expect(toAnswer([openaiAnswer([VECTOR, VECTOR])], 7)).toMatchObject({
    body: {
      embeddings: { float: [VECTOR, VECTOR], base64: [AS_BASE64, AS_BASE64] },
      texts: ['a', 'b'],
      meta: { billed_units: { input_tokens: 7 } },
    },
  });
  const gemini = converted('cohere', 'gemini', COHERE_ASKED);
  expect(gemini.sent).toMatchObject([{ requests: [{ taskType: 'RETRIEVAL_QUERY' }, {}] }]);
});

test('what a client of Cohere says to Cohere passes with the name of the model alone changed', () => {
  const body = { ...COHERE_ASKED, truncate: 'END' };
  expect(converted('cohere', 'cohere', body, { upstreamModel: 'embed-v4.0' }).sent).toEqual([
    { ...body, model: 'embed-v4.0' },
  ]);
});

test.each([
  [{ texts: [] }, 'texts'],
  [{ texts: ['a', ''] }, 'texts[1]'],
  [{ texts: Array.from({ length: 97 }, () => 'a') }, 'texts'],
  [{ texts: undefined, images: ['data:image/png;base64,AAAA'] }, 'texts'],
  [{ input_type: 'image' }, 'input_type'],
  [{ embedding_types: ['int8'] }, 'embedding_types[0]'],
  [{ output_dimension: 0 }, 'output_dimension'],
])('of a client of Cohere %j is refused by its name', (wrong, param) => {
  const body = Buffer.from(JSON.stringify({ ...COHERE_ASKED, ...wrong }));
  const task = { task: 'embed', format: 'cohere' } as const;
  const decoded = decodeRequest('openai-chat', body, { task });
  expect(decoded).toMatchObject({ ok: false, error: { kind: 'invalid_request', param } });
});

test('a purpose that is called like what every object inherits is none', () => {
  const body = { model: 'm', input: ['a', 'b'], input_type: 'constructor' };
  expect(converted('openai', 'openai', body, { maxInputs: 1 }).dropped).toEqual([]);
});
