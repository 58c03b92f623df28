import { countAt, given, isObject, type JsonObject, listAt, nonZero, objectAt } from '../../json.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import type { TaskHalf } from '../convert-task.ts';
import type { TaskUpstream } from '../task-codec.ts';
import { allVectors, type EmbedAnswer, type EmbedRequest, findUncarried, readVector } from './embedding.ts';

/**
 * Vertex is asked for embeddings in two ways, which Google's own clients tell apart by the name of the model as here: newer
 * models of Gemini much as its API, all others for predictions.
 */
export const isAskedForPredictions = (model: string): boolean =>
  model === 'gemini-embedding-001' || !/gemini|maas/.test(model);

const vectorsOf = (prediction: unknown): JsonObject | undefined => objectAt(prediction, 'embeddings');

/** Predictions tell of each text what it counts; undefined unless all of them do. */
function sumPredictions(predictions: readonly unknown[]): JsonObject | undefined {
  let sum = 0;
  for (const each of predictions) {
    const statistics = objectAt(vectorsOf(each), 'statistics');
    if (!statistics || typeof statistics['token_count'] !== 'number') return undefined;
    sum += countAt(statistics, 'token_count');
  }
  return { promptTokenCount: sum };
}

export const vertexEmbedUpstream: TaskUpstream = {
  path: (model) =>
    `/models/${encodeURIComponent(model)}:${isAskedForPredictions(model) ? 'predict' : 'embedContent'}`,
  rules: wholeAnswerRules({
    findUsage(body) {
      const predictions = listAt(body, 'predictions');
      return predictions.length > 0 ? sumPredictions(predictions) : objectAt(body, 'usageMetadata');
    },
    toTokens: (usage) => nonZero({ input: countAt(usage, 'promptTokenCount') }),
  }),
};

export const vertexEmbed: TaskHalf<EmbedRequest, EmbedAnswer> = {
  // Models of Gemini take no more, whichever way they are asked.
  maxInputs: 1,
  write(request, model) {
    const predicts = isAskedForPredictions(model);
    const uncarried = findUncarried(request, predicts ? ['tokens', 'hasMedia'] : ['tokens']);
    if (uncarried) return uncarried;
    const { text = '', content, purpose, title, dimensions } = request.inputs[0] ?? {};
    const length = given({ outputDimensionality: dimensions });
    const body = predicts
      ? {
          instances: [{ content: text, ...given({ task_type: purpose, title }) }],
          ...named('parameters', length),
        }
      : {
          content: content ?? { parts: [{ text }] },
          ...named('embedContentConfig', { ...given({ taskType: purpose, title }), ...length }),
        };
    return { ok: true, body, dropped: [] };
  },
  readAnswer(answer, request) {
    const predictions = listAt(answer, 'predictions');
    const found = predictions.length > 0 ? predictions.map(vectorsOf) : [objectAt(answer, 'embedding')];
    return allVectors(
      found.map((each) => readVector(isObject(each) ? each['values'] : undefined)),
      request,
    );
  },
  rename: ({ bytes }) => bytes,
};

/** Left out where it would be empty. */
const named = (name: string, value: JsonObject): JsonObject =>
  Object.keys(value).length > 0 ? { [name]: value } : {};
