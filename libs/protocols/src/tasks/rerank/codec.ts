import { countAt, type JsonObject, listAt, nonZero, numberAt, objectAt, someTextAt } from '../../json.ts';
import { setBodyFields } from '../../upstream-request.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import { createTaskConversion, type TaskHalf } from '../convert-task.ts';
import type { TaskCodec, TaskConversion } from '../task-codec.ts';
import { readRerank, rerankClient } from './clients.ts';
import { readResults, type RerankAnswer, type RerankRequest } from './ranking.ts';

const rename = ({ bytes, upstreamModel }: TaskConversion): Buffer =>
  setBodyFields(bytes, { model: upstreamModel });

/** Search units, which Cohere writes as a number that may have a point. */
const findUnits = (body: unknown) => {
  const units = numberAt(objectAt(objectAt(body, 'meta'), 'billed_units'), 'search_units');
  const rerank_units = Math.ceil(units ?? -1);
  // What is no count is said by nobody: those that the request has are billed.
  return Number.isSafeInteger(rerank_units) && rerank_units >= 0 ? { units: { rerank_units } } : undefined;
};

const rules = wholeAnswerRules({
  findUsage: (body) => objectAt(body, 'usage') ?? objectAt(objectAt(body, 'meta'), 'billed_units'),
  toTokens: (usage) =>
    nonZero({
      input:
        countAt(usage, 'prompt_tokens') || countAt(usage, 'total_tokens') || countAt(usage, 'input_tokens'),
    }),
  findExtras: findUnits,
});

/** What clients of Jina and of Cohere read of an answer is all in it. */
const writeAnswer: TaskHalf<RerankRequest, RerankAnswer>['writeAnswer'] = (
  { id, results, meta },
  { request, model, tokens },
): JsonObject => ({
  ...(id === undefined ? {} : { id }),
  object: 'list',
  model,
  results: results.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(request.returnsDocuments ? { document: { text: request.documents[index] } } : {}),
  })),
  ...(meta === undefined ? {} : { meta }),
  usage: { prompt_tokens: tokens, total_tokens: tokens },
});

const write =
  (says: 'jina' | 'cohere'): TaskHalf<RerankRequest, RerankAnswer>['write'] =>
  ({ query, documents, topN, maxTokensPerDocument }, model) => ({
    ok: true,
    body: {
      model,
      query,
      documents,
      ...(topN === undefined ? {} : { top_n: topN }),
      ...(says === 'jina' ? { return_documents: false } : {}),
      ...(says === 'cohere' && maxTokensPerDocument !== undefined
        ? { max_tokens_per_doc: maxTokensPerDocument }
        : {}),
    },
    dropped: says === 'jina' && maxTokensPerDocument !== undefined ? ['max_tokens_per_doc'] : [],
  });

const readAnswer: TaskHalf<RerankRequest, RerankAnswer>['readAnswer'] = (answer, request) => {
  const results = readResults(listAt(answer, 'results'), 'relevance_score', request);
  return results && { id: someTextAt(answer, 'id'), results, meta: objectAt(answer, 'meta') };
};

const common = { read: readRerank, writeAnswer, readAnswer, rename, maxInputs: Infinity };

const jina: TaskHalf<RerankRequest, RerankAnswer> = { ...common, write: write('jina') };
const cohere: TaskHalf<RerankRequest, RerankAnswer> = { ...common, write: write('cohere') };

/** Hugging Face's server answers scores alone, and has the model that it was started with. */
const tei: TaskHalf<RerankRequest, RerankAnswer> = {
  write: ({ query, documents, maxTokensPerDocument }) => ({
    ok: true,
    body: { query, texts: documents, raw_scores: false, return_text: false, truncate: true },
    dropped: maxTokensPerDocument === undefined ? [] : ['max_tokens_per_doc'],
  }),
  readAnswer(answer, request) {
    const results = Array.isArray(answer) ? readResults(answer, 'score', request) : undefined;
    return results && { id: undefined, results, meta: undefined };
  },
  maxInputs: Infinity,
  rename,
};

/** Documents by how well they answer a query. */
export const rerank: TaskCodec = {
  telemetry: 'rerank',
  mayFallBack: true,
  spokenBy: { 'openai-chat': ['jina'], 'openai-responses': ['jina'] },
  clients: { jina: rerankClient, cohere: rerankClient },
  upstreams: {
    jina: { path: () => '/v1/rerank', rules },
    cohere: { path: () => '/v2/rerank', rules },
    tei: { path: () => '/rerank', rules },
  },
  convert: createTaskConversion<RerankRequest, RerankAnswer>({
    formats: { jina, cohere, tei },
    split(request, maxInputs) {
      const { documents } = request;
      const calls = Math.ceil(documents.length / maxInputs) || 1;
      if (calls === 1) return [request];
      return Array.from({ length: calls }, (_, call) => ({
        ...request,
        // Which of all are the best is known once all are there.
        topN: undefined,
        documents: documents.slice(call * maxInputs, (call + 1) * maxInputs),
      }));
    },
    join(answers, requests, { topN }) {
      let before = 0;
      const results = answers.flatMap((answer, call) => {
        const own = answer.results.map(({ index, score }) => ({ index: index + before, score }));
        before += requests[call]?.documents.length ?? 0;
        return own;
      });
      const best = results.toSorted((a, b) => b.score - a.score).slice(0, topN);
      return { id: answers[0]?.id, results: best, meta: answers.length === 1 ? answers[0]?.meta : undefined };
    },
  }),
  errorMembers: ({ message }, requestId) => ({ id: requestId, message }),
};
