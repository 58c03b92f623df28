import type { TaskFormat } from '@tollgate/vocabulary';
import { readTask } from '../decode-task.ts';
import { findTaskFormat } from '../registry.ts';
import { draw } from './codec.ts';

const read = (body: object) =>
  readTask({ task: 'draw', format: 'openai' }, { model: 'm', prompt: 'a', ...body }, undefined);

test.each([
  [{}, { limit: null, raisedTo: 0, beside: 1_000, answers: 1 }],
  [
    { size: '1024x1024', quality: 'low', n: 3 },
    { limit: 272, raisedTo: 0, answers: 3 },
  ],
  [
    { size: '1024x1536', quality: 'high', stream: true, partial_images: 2 },
    { limit: 6_240, beside: 1_200, answers: 1 },
  ],
  // What the vendor chooses is the most expensive that it may choose.
  [
    { size: '2048x2048', quality: 'auto' },
    { limit: null, raisedTo: 16_512, answers: 1 },
  ],
  // Nor is what every object inherits a quality.
  [
    { size: '2048x2048', quality: 'constructor' },
    { limit: null, raisedTo: 16_512, answers: 1 },
  ],
])('of %j as much is held as it may draw: %j', (body, output) => {
  expect(read(body)).toMatchObject({ ok: true, request: { output } });
});

test.each([
  [{ prompt: '' }, 'prompt'],
  [{ prompt: 'a'.repeat(32_001) }, 'prompt'],
  [{ n: 0 }, 'n'],
  [{ n: 11 }, 'n'],
  [{ n: 2, stream: true }, 'n'],
  [{ size: 'big' }, 'size'],
  [{ partial_images: 4 }, 'partial_images'],
  [{ output_format: 'svg' }, 'output_format'],
])('%j is refused for its %s', (body, param) => {
  expect(read(body)).toMatchObject({ ok: false, fault: { path: [param] } });
});

const convert = (
  from: TaskFormat,
  to: TaskFormat,
  body: Readonly<Record<string, unknown>>,
  upstreamModel = 'up',
) =>
  draw.convert({
    from,
    to,
    bytes: Buffer.from(JSON.stringify(body)),
    body,
    model: 'm',
    namedModel: 'm',
    upstreamModel,
    maxInputs: undefined,
    strict: false,
  });

function bodiesOf(...asked: Parameters<typeof convert>): unknown[] {
  const converted = convert(...asked);
  if (!converted.ok) throw new Error(converted.error.message);
  return converted.bodies.map((each) => JSON.parse(each.toString('utf8')) as unknown);
}

const asked = {
  model: 'm',
  prompt: 'a',
  n: 5,
  size: '1024x1024',
  output_format: 'jpeg',
  output_compression: 50,
};

test('Imagen is asked for four at once at most', () => {
  const parameters = {
    aspectRatio: '1:1',
    outputOptions: { mimeType: 'image/jpeg', compressionQuality: 50 },
  };
  expect(bodiesOf('openai', 'imagen', asked)).toEqual([
    { instances: [{ prompt: 'a' }], parameters: { ...parameters, sampleCount: 4 } },
    { instances: [{ prompt: 'a' }], parameters: { ...parameters, sampleCount: 1 } },
  ]);
});

test.each([
  ['1536x1024', { aspectRatio: '3:2' }],
  ['2048x2048', { aspectRatio: '1:1', imageSize: '2K' }],
  ['3840x2160', { aspectRatio: '16:9', imageSize: '4K' }],
])('Gemini draws one of %s at once: %j', (size, imageConfig) => {
  expect(bodiesOf('openai', 'gemini', { ...asked, n: 2, size })).toEqual(
    [1, 2].map(() => ({
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig },
    })),
  );
});

test.each([
  ['gpt-image-2', {}],
  ['painter', { response_format: 'b64_json' }],
])('%s is asked for base64 where it knows the field: %j', (upstreamModel, more) => {
  const body = {
    instances: [{ prompt: 'a' }],
    parameters: {
      sampleCount: 2,
      aspectRatio: '16:9',
      sampleImageSize: '2K',
      outputOptions: { mimeType: 'image/png' },
    },
  };
  expect(bodiesOf('imagen', 'openai', body, upstreamModel)).toEqual([
    { model: upstreamModel, prompt: 'a', n: 2, size: '3584x2016', output_format: 'png', ...more },
  ]);
});

test.each([
  ['imagen', { size: '1536x1024' }, 'size'],
  ['imagen', { size: '4096x4096' }, 'size'],
  ['imagen', { output_format: 'webp' }, 'output_format'],
  ['gemini', { background: 'transparent' }, 'background'],
  ['gemini', { response_format: 'url' }, 'response_format'],
] as const)('%s is not asked for %j', (to, more, param) => {
  expect(convert('openai', to, { ...asked, ...more })).toMatchObject({ ok: false, error: { param } });
});

const answers: Readonly<Record<string, unknown>> = {
  imagen: { predictions: [{ bytesBase64Encoded: 'QQ==', mimeType: 'image/jpeg' }] },
  gemini: {
    candidates: [
      { content: { parts: [{ text: 'Here:' }, { inlineData: { mimeType: 'image/jpeg', data: 'QQ==' } }] } },
    ],
    usageMetadata: {
      promptTokenCount: 3,
      candidatesTokenCount: 1_300,
      totalTokenCount: 1_303,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
    },
  },
};

test.each(['imagen', 'gemini'] as const)('what %s drew is told as OpenAI tells it', (to) => {
  const converted = convert('openai', to, { ...asked, n: 1 });
  const answer = converted.ok ? converted.toAnswer([answers[to]], 3) : undefined;
  expect(answer).toMatchObject({ body: { data: [{ b64_json: 'QQ==' }], output_format: 'jpeg' } });
  if (to === 'gemini')
    expect(answer).toMatchObject({
      body: {
        usage: {
          input_tokens: 3,
          output_tokens: 1_300,
          output_tokens_details: { text_tokens: 10, image_tokens: 1_290 },
          total_tokens: 1_303,
        },
      },
    });
});

const rules = draw.upstreams.openai?.rules;

test('without details all of the output is pictures', () => {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { text_tokens: 4, image_tokens: 6 },
    output_tokens: 272,
  };
  expect(rules?.usage.toTokens(usage)).toEqual({ input: 4, input_image: 6, output_image: 272 });
  expect(rules?.usage.toTokens({ ...usage, output_tokens_details: { text_tokens: 2 } })).toMatchObject({
    output: 2,
    output_image: 270,
  });
});

test.each([
  [{ error: { message: 'no' } }, 500],
  [{ predictions: [] }, 400],
  [{ predictions: [{ raiFilteredReason: 'held back' }] }, 400],
])('Imagen that answers %j has failed', (body, status) => {
  expect(draw.upstreams.imagen?.rules.findFailure(body)).toMatchObject({ status });
});

test.each([
  ['imagen-4.0-generate-001', 'openai', 'imagen'],
  ['gemini-3-pro-image', 'imagen', 'gemini'],
  ['another', 'imagen', 'imagen'],
  ['another', 'openai', 'gemini'],
] as const)('%s behind Google’s format is asked by %s in the format %s', (model, format, expected) => {
  expect(findTaskFormat({ task: 'draw', format }, ['gemini'], undefined, model)).toMatchObject({
    format: expected,
  });
});
