import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { findOwn } from '@tollgate/vocabulary';
import { countAt, isObject, listAt, nonZero, numberAt, objectAt } from '../../json.ts';
import { atLeastOne, modelField } from '../../schema.ts';
import { setBodyFields } from '../../upstream-request.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import type { TaskHalf } from '../convert-task.ts';
import type { TaskClient, TaskUpstream } from '../task-codec.ts';
import {
  allVectors,
  type EmbedAnswer,
  type EmbedRequest,
  findUncarried,
  readVector,
  toEncoding,
} from './embedding.ts';

/** Cohere takes no more texts at once. */
const MAX_TEXTS = 96;

/** Its models from the third on want to be told what a vector is for; documents are what most texts are. */
const INPUT_TYPES: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  QUESTION_ANSWERING: 'search_query',
  CODE_RETRIEVAL_QUERY: 'search_query',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
};

const PURPOSES: Readonly<Record<string, string>> = {
  search_query: 'RETRIEVAL_QUERY',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/** Others than Cohere make no vectors of bytes and bits, and theirs are priced as these. */
const ENCODINGS = ['float', 'base64'] as const;

const schema = z.looseObject({
  model: modelField,
  texts: z
    .array(z.string().min(1, 'must not be empty'), {
      error: 'is required and must be an array of strings: pictures are not embedded here',
    })
    .min(1, 'must not be empty')
    .max(MAX_TEXTS, `must be at most ${MAX_TEXTS} texts`),
  input_type: z
    .enum(['search_document', 'search_query', 'classification', 'clustering'], {
      error: 'must be "search_document", "search_query", "classification" or "clustering"',
    })
    .nullish(),
  embedding_types: z
    .array(z.enum(ENCODINGS, { error: 'must be "float" or "base64"' }))
    .min(1, 'must not be empty')
    .nullish(),
  output_dimension: atLeastOne.nullish(),
});

const readTexts = (body: object): string[] =>
  listAt(body, 'texts').filter((each) => typeof each === 'string');

export const cohereEmbedClient: TaskClient = {
  schema,
  modelInBody: true,
  readInputs: (body) => readTexts(body).map((text) => ({ texts: [text] })),
};

export const cohereEmbedUpstream: TaskUpstream = {
  path: () => '/v2/embed',
  rules: wholeAnswerRules({
    findUsage: (body) => objectAt(objectAt(body, 'meta'), 'billed_units'),
    toTokens: (units) => nonZero({ input: countAt(units, 'input_tokens') }),
  }),
};

export const cohereEmbed: TaskHalf<EmbedRequest, EmbedAnswer> = {
  maxInputs: MAX_TEXTS,
  write(request, model) {
    const { inputs } = request;
    const uncarried = findUncarried(request, ['tokens', 'hasMedia', 'dimensions', 'purpose']);
    if (uncarried) return uncarried;
    const { purpose = '', dimensions } = inputs[0] ?? {};
    return {
      ok: true,
      body: {
        model,
        texts: inputs.map(({ text }) => text),
        input_type: findOwn(INPUT_TYPES, purpose) ?? 'search_document',
        embedding_types: ['float'],
        ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
      },
      dropped: inputs.some(({ title }) => title !== undefined) ? ['title'] : [],
    };
  },
  readAnswer: (answer, request) =>
    allVectors(listAt(isObject(answer) ? answer['embeddings'] : undefined, 'float').map(readVector), request),
  read(body) {
    const purpose =
      typeof body['input_type'] === 'string' ? findOwn(PURPOSES, body['input_type']) : undefined;
    const dimensions = numberAt(body, 'output_dimension');
    const asked = ENCODINGS.filter((each) => listAt(body, 'embedding_types').includes(each));
    return {
      inputs: readTexts(body).map((text) => ({ text, purpose, dimensions })),
      encoding: 'float',
      encodings: asked.length > 0 ? asked : ['float'],
    };
  },
  writeAnswer: ({ vectors }, { request: { inputs, encodings = ['float'] }, tokens }) => ({
    id: randomUUID(),
    embeddings: Object.fromEntries(
      encodings.map((encoding) => [encoding, vectors.map((vector) => toEncoding(vector, encoding))]),
    ),
    texts: inputs.map(({ text }) => text),
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: tokens } },
    response_type: 'embeddings_by_type',
  }),
  rename: ({ bytes, upstreamModel }) => setBodyFields(bytes, { model: upstreamModel }),
};
