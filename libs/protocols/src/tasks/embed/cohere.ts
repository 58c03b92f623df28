import { countAt, isObject, listAt, nonZero, objectAt } from '../../json.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import type { TaskHalf } from '../convert-task.ts';
import type { TaskUpstream } from '../task-codec.ts';
import { allVectors, type EmbedAnswer, type EmbedRequest, findUncarried, readVector } from './embedding.ts';

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
        input_type: INPUT_TYPES[purpose] ?? 'search_document',
        embedding_types: ['float'],
        ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
      },
      dropped: inputs.some(({ title }) => title !== undefined) ? ['title'] : [],
    };
  },
  readAnswer: (answer, request) =>
    allVectors(listAt(isObject(answer) ? answer['embeddings'] : undefined, 'float').map(readVector), request),
  rename: ({ bytes }) => bytes,
};
