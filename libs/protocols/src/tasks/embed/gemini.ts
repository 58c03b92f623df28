import { z } from 'zod';
import {
  countAt,
  isObject,
  type JsonObject,
  listAt,
  nonZero,
  numberAt,
  objectAt,
  someTextAt,
} from '../../json.ts';
import { atLeastOne, textsIn } from '../../schema.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import type { TaskHalf } from '../convert-task.ts';
import type { TaskClient, TaskUpstream } from '../task-codec.ts';
import {
  allVectors,
  type EmbedAnswer,
  type EmbedInput,
  type EmbedRequest,
  findUncarried,
  readVector,
  toEncoding,
} from './embedding.ts';

/** Google takes no more in one batch. */
const MAX_BATCH = 100;

const content = z.looseObject(
  {
    parts: z
      .array(z.looseObject({ text: z.string({ error: 'must be a string' }).nullish() }), {
        error: 'is required and must be an array of parts',
      })
      .min(1, 'must not be empty'),
  },
  { error: 'is required and must be an object' },
);
const single = z.looseObject({
  content,
  taskType: z.string({ error: 'must be a string' }).nullish(),
  title: z.string({ error: 'must be a string' }).nullish(),
  outputDimensionality: atLeastOne.nullish(),
});
const batch = z.looseObject({
  requests: z
    .array(single, { error: 'is required and must be an array' })
    .min(1, 'must not be empty')
    .max(MAX_BATCH, `must be at most ${MAX_BATCH} requests`),
});

const listRequests = (body: JsonObject): readonly JsonObject[] =>
  'requests' in body ? (listAt(body, 'requests') as readonly JsonObject[]) : [body];

const isText = (part: unknown): boolean => isObject(part) && typeof part['text'] === 'string';

function readInput(request: JsonObject): EmbedInput {
  const parts = listAt(request['content'], 'parts');
  return {
    text: parts.map((part) => someTextAt(part, 'text') ?? '').join('\n'),
    purpose: someTextAt(request, 'taskType'),
    title: someTextAt(request, 'title'),
    dimensions: numberAt(request, 'outputDimensionality'),
    content: objectAt(request, 'content') ?? {},
    hasMedia: !parts.every(isText),
  };
}

const client = (schema: z.ZodType<JsonObject>): TaskClient => ({
  schema,
  modelInBody: false,
  readInputs: (body) =>
    listRequests(body).map((request) => ({
      texts: [...textsIn(request['content']), someTextAt(request, 'title') ?? ''],
      media: listAt(request['content'], 'parts').some((part) => !isText(part)) ? MEDIA_TOKENS : 0,
    })),
});

/** What a picture, a sound or a document counts at most. */
const MEDIA_TOKENS = 8_192;

export const geminiEmbedClients = { gemini: client(batch), 'gemini-single': client(single) };

const rules = wholeAnswerRules({
  findUsage: (body) => objectAt(body, 'usageMetadata'),
  toTokens: (usage) => nonZero({ input: countAt(usage, 'promptTokenCount') }),
});
const pathTo =
  (verb: string): TaskUpstream['path'] =>
  (model) =>
    `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${verb}`;

export const geminiEmbedUpstreams = {
  gemini: { path: pathTo('batchEmbedContents'), rules },
  'gemini-single': { path: pathTo('embedContent'), rules },
} satisfies Record<string, TaskUpstream>;

function read(body: JsonObject): EmbedRequest {
  return { inputs: listRequests(body).map(readInput), encoding: 'float' };
}

function writeOne({ text = '', content, purpose, title, dimensions }: EmbedInput): JsonObject {
  return {
    content: content ?? { parts: [{ text }] },
    ...(purpose === undefined ? {} : { taskType: purpose }),
    ...(title === undefined ? {} : { title }),
    ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
  };
}

const common = {
  read,
  writeAnswer: ({ vectors }: EmbedAnswer, { tokens }: { readonly tokens: number }) => ({
    embeddings: vectors.map((vector) => ({ values: toEncoding(vector, 'float') })),
    usageMetadata: { promptTokenCount: tokens },
  }),
};

export const geminiEmbed: TaskHalf<EmbedRequest, EmbedAnswer> = {
  ...common,
  maxInputs: MAX_BATCH,
  write(request, model) {
    const requests = request.inputs.map((input) => ({ model: `models/${model}`, ...writeOne(input) }));
    return findUncarried(request, ['tokens']) ?? { ok: true, body: { requests }, dropped: [] };
  },
  readAnswer: (answer, request) =>
    allVectors(
      listAt(answer, 'embeddings').map((each) => readVector(isObject(each) ? each['values'] : undefined)),
      request,
    ),
  rename: ({ body, upstreamModel }) =>
    Buffer.from(
      JSON.stringify({
        ...body,
        requests: listRequests(body).map((each) => ({ ...each, model: `models/${upstreamModel}` })),
      }),
    ),
};

export const geminiSingleEmbed: TaskHalf<EmbedRequest, EmbedAnswer> = {
  ...common,
  maxInputs: 1,
  write: (request) =>
    findUncarried(request, ['tokens']) ?? {
      ok: true,
      body: writeOne(request.inputs[0] ?? {}),
      dropped: [],
    },
  readAnswer: (answer, request) =>
    allVectors([readVector(objectAt(answer, 'embedding')?.['values'])], request),
  writeAnswer: ({ vectors: [vector = []] }, { tokens }) => ({
    embedding: { values: toEncoding(vector, 'float') },
    usageMetadata: { promptTokenCount: tokens },
  }),
  rename: ({ bytes, body, upstreamModel }) =>
    'model' in body ? Buffer.from(JSON.stringify({ ...body, model: `models/${upstreamModel}` })) : bytes,
};
