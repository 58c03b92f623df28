import { startSimulator, type RunningSimulator } from '../simulator.ts';
import { COMPLETION_RULES } from './complete.ts';
import { GEMINI_DRAW_RULES, IMAGEN_RULES } from './draw-google.ts';
import { OPENAI_DRAW_RULES, OPENAI_EDIT_RULES } from './draw-openai.ts';
import { COHERE_EMBED_RULES } from './embed-cohere.ts';
import { GEMINI_BATCH_EMBED_RULES, GEMINI_SINGLE_EMBED_RULES } from './embed-gemini.ts';
import { VERTEX_EMBED_RULES, VERTEX_PREDICT_RULES } from './embed-vertex.ts';
import { OPENAI_EMBED_RULES } from './embed-openai.ts';
import { MODERATION_RULES } from './moderate.ts';
import { SPEECH_RULES } from './speak.ts';
import { TRANSCRIPTION_RULES } from './transcribe.ts';
import { COHERE_RERANK_RULES, JINA_RERANK_RULES, TEI_RERANK_RULES } from './rerank.ts';

let simulator: RunningSimulator;
/** Google's clouds take no other; every other vendor takes any. */
let token: string;
beforeAll(async () => {
  simulator = await startSimulator();
  const scope = 'https://www.googleapis.com/auth/cloud-platform';
  const path = `/computeMetadata/v1/instance/service-accounts/default/token?scopes=${scope}`;
  const answer = await fetch(simulator.url + path, { headers: { 'metadata-flavor': 'Google' } });
  ({ access_token: token } = (await answer.json()) as { access_token: string });
});
afterAll(() => simulator.close());

type Body = Readonly<Record<string, unknown>>;

/** Forms where there is a file. */
function toBody({ file, ...fields }: Body): FormData | string {
  if (file === undefined) return JSON.stringify(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('file', new Blob(['sound']), String(file));
  return form;
}

const send = (path: string, body: Body) =>
  fetch(simulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-goog-api-key': 'test' },
    body: toBody(body),
  });

const many = (count: number) => Array.from({ length: count }, () => 'a');
const OPENAI: Body = { model: 'm', input: ['a', 'b'] };
const CONTENT = { parts: [{ text: 'a' }] };
const VERTEX = '/google/v1/projects/p/locations/eu/publishers/google/models';
const SINGLE: Body = { content: CONTENT };
const batch = (more: object = {}, count = 1): Body => ({
  requests: Array.from({ length: count }, () => ({ model: 'models/m', content: CONTENT, ...more })),
});
const RERANK: Body = { model: 'm', query: 'a', documents: ['a'] };
const TEXTS: Body = { query: 'a', texts: ['a'] };
const PROMPT: Body = { model: 'm', prompt: 'a' };
const DRAWN: Body = { model: 'gpt-image-2', prompt: 'a' };
const EDITED: Body = { ...DRAWN, images: [{ image_url: 'data:image/png;base64,QQ==' }] };
const IMAGEN: Body = { instances: [{ prompt: 'a' }] };
const pictureOf = (more: object): Body => ({
  contents: [{ parts: [{ text: 'a' }] }],
  generationConfig: { responseModalities: ['TEXT', 'IMAGE'], ...more },
});
const PICTURE = pictureOf({});
const SOUND: Body = { model: 'whisper-1', file: 'a.mp3' };
const SPEECH: Body = { model: 'gpt-4o-mini-tts', input: 'a', voice: 'alloy' };
const COHERE: Body = { model: 'm', texts: ['a'], input_type: 'search_document', embedding_types: ['float'] };

/** For each rule a request that it refuses; the first of each path passes. */
const CASES: Readonly<Record<string, readonly [passes: Body, refused: Readonly<Record<string, Body>>]>> = {
  '/v1/embeddings': [
    OPENAI,
    {
      'embed-unknown-member': { ...OPENAI, odd: 1 },
      'embed-model': { input: 'a' },
      'embed-input': { ...OPENAI, input: ['a', ''] },
      'embed-inputs': { ...OPENAI, input: many(2_049) },
      'embed-tokens': { ...OPENAI, input: [Array.from({ length: 8_193 }, () => 1)] },
      'embed-encoding': { ...OPENAI, encoding_format: 'int8' },
      'embed-dimensions': { ...OPENAI, dimensions: 0 },
    },
  ],
  '/v1beta/models/m:batchEmbedContents': [
    batch(),
    {
      'batch-embed-size': batch({}, 101),
      'batch-embed-model': batch({ model: 'models/other' }),
      'batch-embed-unknown-member': batch({ odd: 1 }),
      'batch-embed-content': batch({ content: { parts: [] } }),
      'batch-embed-task-type': batch({ taskType: 'ODD' }),
      'batch-embed-title': batch({ title: 'a' }),
    },
  ],
  '/v1beta/models/m:embedContent': [
    SINGLE,
    {
      'embed-one-unknown-member': { ...SINGLE, requests: [] },
      'embed-one-content': { content: { parts: [] } },
      'embed-one-task-type': { ...SINGLE, taskType: 'ODD' },
      'embed-one-title': { ...SINGLE, title: 'a', taskType: 'CLUSTERING' },
    },
  ],
  [`${VERTEX}/text-embedding-005:predict`]: [
    { instances: [{ content: 'a' }, { content: 'b' }] },
    {
      'vertex-predict-unknown-member': { instances: [{ content: 'a', taskType: 'CLUSTERING' }] },
      'vertex-predict-instances': { instances: [] },
      'vertex-predict-content': { instances: [{ content: '' }] },
      'vertex-predict-task': { instances: [{ content: 'a', title: 'b' }] },
    },
  ],
  [`${VERTEX}/gemini-embedding-001:predict`]: [
    { instances: [{ content: 'a', title: 'b', task_type: 'RETRIEVAL_DOCUMENT' }] },
    { 'vertex-predict-batch': { instances: [{ content: 'a' }, { content: 'b' }] } },
  ],
  [`${VERTEX}/gemini-embedding-2:embedContent`]: [
    { content: CONTENT, embedContentConfig: { taskType: 'CLUSTERING' } },
    {
      'vertex-embed-unknown-member': { content: CONTENT, taskType: 'CLUSTERING' },
      'vertex-embed-content': { content: { parts: [] } },
      'vertex-embed-task': { content: CONTENT, embedContentConfig: { taskType: 'ODD' } },
    },
  ],
  '/v2/embed': [
    COHERE,
    {
      'cohere-embed-unknown-member': { ...COHERE, input: 'a' },
      'cohere-embed-model': { ...COHERE, model: undefined },
      'cohere-embed-input-type': { ...COHERE, input_type: undefined },
      'cohere-embed-texts': { ...COHERE, texts: many(97) },
      'cohere-embed-embedding-types': { ...COHERE, embedding_types: ['odd'] },
      'cohere-embed-dimension': { ...COHERE, output_dimension: 8 },
    },
  ],
  '/v2/rerank': [
    RERANK,
    {
      'cohere-rerank-unknown-member': { ...RERANK, return_documents: true },
      'cohere-rerank-documents': { ...RERANK, documents: [{ text: 'a' }] },
    },
  ],
  '/v1/rerank': [RERANK, { 'jina-rerank-documents': { ...RERANK, documents: [] } }],
  '/rerank': [TEXTS, { 'tei-rerank-texts': { ...TEXTS, texts: many(33) } }],
  '/v1/moderations': [
    { input: 'a' },
    { 'moderate-unknown-member': { input: 'a', odd: 1 }, 'moderate-input': { input: '' } },
  ],
  '/v1/images/generations': [
    DRAWN,
    {
      'draw-unknown-member': { ...DRAWN, odd: 1 },
      'draw-prompt': { ...DRAWN, prompt: '' },
      'draw-n': { ...DRAWN, n: 11 },
      'draw-size': { ...DRAWN, size: '1000x1000' },
      'draw-quality': { ...DRAWN, quality: 'hd' },
      'draw-response-format': { ...DRAWN, response_format: 'b64_json' },
      'draw-stream': { ...DRAWN, stream: true, n: 2 },
      'draw-partial-images': { ...DRAWN, partial_images: 1 },
      'draw-transparent': { ...DRAWN, background: 'transparent', output_format: 'jpeg' },
    },
  ],
  '/v1/images/edits': [
    EDITED,
    {
      'edit-prompt': { ...EDITED, prompt: '' },
      'edit-pictures': { ...EDITED, images: many(17).map(() => ({ image_url: 'a' })) },
      'edit-picture': { ...EDITED, images: [{ file_id: 1 }] },
      'edit-stream': { ...EDITED, stream: true, n: 2 },
    },
  ],
  '/v1beta/models/imagen-4:predict': [
    IMAGEN,
    {
      'imagen-unknown-member': { ...IMAGEN, odd: 1 },
      'imagen-instances': { instances: [] },
      'imagen-sample-count': { ...IMAGEN, parameters: { sampleCount: 5 } },
      'imagen-aspect-ratio': { ...IMAGEN, parameters: { aspectRatio: '3:2' } },
      'imagen-output': { ...IMAGEN, parameters: { outputOptions: { mimeType: 'image/webp' } } },
    },
  ],
  '/v1beta/models/gemini-image:generateContent': [
    PICTURE,
    {
      'gemini-draw-contents': { ...PICTURE, contents: [] },
      'gemini-draw-aspect-ratio': pictureOf({ imageConfig: { aspectRatio: '7:4' } }),
      'gemini-draw-image-size': pictureOf({ imageConfig: { imageSize: '8K' } }),
      'gemini-draw-candidates': pictureOf({ candidateCount: 2 }),
    },
  ],
  '/v1/audio/transcriptions': [
    SOUND,
    {
      'transcribe-unknown-member': { ...SOUND, odd: 1 },
      'transcribe-model': { ...SOUND, model: '' },
      'transcribe-file': { ...SOUND, file: 'a.txt' },
      'transcribe-format': { ...SOUND, response_format: 'odd' },
      'transcribe-format-of-model': { ...SOUND, model: 'gpt-4o-transcribe', response_format: 'srt' },
    },
  ],
  '/v1/audio/speech': [
    SPEECH,
    {
      'speak-unknown-member': { ...SPEECH, odd: 1 },
      'speak-input': { ...SPEECH, input: 'a'.repeat(4_097) },
      'speak-voice': { ...SPEECH, voice: undefined },
      'speak-format': { ...SPEECH, response_format: 'odd' },
      'speak-events': { ...SPEECH, model: 'tts-1', stream_format: 'sse' },
    },
  ],
  '/v1/completions': [
    PROMPT,
    {
      'complete-unknown-member': { ...PROMPT, messages: [] },
      'complete-chat-model': { ...PROMPT, model: 'gpt-5' },
      'complete-prompt': { ...PROMPT, prompt: [['a']] },
      'complete-n': { ...PROMPT, n: 129 },
      'complete-best-of': { ...PROMPT, best_of: 2, stream: true },
      'complete-logprobs': { ...PROMPT, logprobs: 6 },
      'complete-max-tokens': { ...PROMPT, max_tokens: -1 },
      'complete-suffix': { ...PROMPT, suffix: 'b', echo: true },
      'complete-stream-options': { ...PROMPT, stream_options: { include_usage: true } },
    },
  ],
};

describe.each(Object.entries(CASES))('%s', (path, [passes, refused]) => {
  test('answers what is right', async () => {
    expect((await send(path, passes)).status).toBe(200);
  });

  test.each(Object.entries(refused))('refuses by the rule %s', async (_rule, body) => {
    expect([400, 404, 422]).toContain((await send(path, body)).status);
  });
});

test('each rule has a request that it refuses', () => {
  const rules = [
    ...OPENAI_EMBED_RULES,
    ...GEMINI_BATCH_EMBED_RULES,
    ...GEMINI_SINGLE_EMBED_RULES,
    ...VERTEX_PREDICT_RULES,
    ...VERTEX_EMBED_RULES,
    ...COHERE_EMBED_RULES,
    ...COHERE_RERANK_RULES,
    ...JINA_RERANK_RULES,
    ...TEI_RERANK_RULES,
    ...MODERATION_RULES,
    ...COMPLETION_RULES,
    ...OPENAI_DRAW_RULES,
    ...OPENAI_EDIT_RULES,
    ...IMAGEN_RULES,
    ...GEMINI_DRAW_RULES,
    ...TRANSCRIPTION_RULES,
    ...SPEECH_RULES,
  ];
  const cases = Object.values(CASES).flatMap(([, refused]) => Object.keys(refused));
  expect(rules.map(({ id }) => id).toSorted()).toEqual(cases.toSorted());
});

test('the same text has the same vector of length one at every vendor', async () => {
  const read = async (path: string, body: Body) => (await send(path, body)).json();
  const { data } = (await read('/v1/embeddings', { model: 'm', input: 'a' })) as {
    data: { embedding: number[] }[];
  };
  const vector = data[0]?.embedding ?? [];
  expect(vector).toHaveLength(8);
  expect(Math.hypot(...vector)).toBeCloseTo(1);
  expect(await read('/v1beta/models/m:embedContent', SINGLE)).toMatchObject({
    embedding: { values: vector },
  });
  expect(await read('/v2/embed', COHERE)).toMatchObject({ embeddings: { float: [vector] } });
});
