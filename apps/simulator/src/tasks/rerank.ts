import { countWords } from '../answer.ts';
import { bearer } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { field, type Json, list } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import { type Script, withoutScript } from '../script.ts';
import { cohereError } from './embed-cohere.ts';
import type { TaskDoor, TaskQuestion } from './task-door.ts';

const COHERE = 'https://docs.cohere.com/reference/rerank';
const JINA = 'https://api.jina.ai/redoc#tag/rerank';
const TEI = 'https://huggingface.github.io/text-embeddings-inference/';
const MAX_TEI = 32;

const wrong = (message: string, status = 400): Refusal => ({ status, message });

const refuseUnknown =
  (names: string, say: (name: string) => Refusal): Rule<object>['check'] =>
  ({ body }) => {
    const known = new Set(names.split(' '));
    const unknown = Object.keys(body).find((name) => !known.has(name));
    return unknown === undefined ? undefined : say(unknown);
  };
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

export const COHERE_RERANK_RULES: readonly Rule<object>[] = [
  {
    id: 'cohere-rerank-unknown-member',
    refuses: 'a member that the end point does not know',
    source: COHERE,
    check: refuseUnknown('model query documents top_n max_tokens_per_doc priority', (name) =>
      wrong(`unknown field: parameter '${name}' is not a valid field`),
    ),
  },
  {
    id: 'cohere-rerank-documents',
    refuses: 'no model, no query, no documents, and documents that are no texts',
    source: COHERE,
    check: ({ body: { model, query, documents } }) =>
      isText(model) &&
      isText(query) &&
      list(documents).length > 0 &&
      list(documents).every((each) => typeof each === 'string')
        ? undefined
        : wrong('invalid request: model, query and documents (strings) must be provided'),
  },
];

export const JINA_RERANK_RULES: readonly Rule<object>[] = [
  {
    id: 'jina-rerank-documents',
    refuses: 'no model, no query, and no documents',
    source: JINA,
    check: ({ body: { model, query, documents } }) =>
      isText(model) && isText(query) && list(documents).length > 0
        ? undefined
        : wrong('model, query and documents are required', 422),
  },
];

export const TEI_RERANK_RULES: readonly Rule<object>[] = [
  {
    id: 'tei-rerank-texts',
    refuses: `no query, no texts, or more than ${MAX_TEI}`,
    source: TEI,
    check({ body: { query, texts } }) {
      if (!isText(query) || list(texts).length === 0) return wrong('missing field `texts`', 422);
      return list(texts).length > MAX_TEI
        ? wrong(`batch size ${list(texts).length} > maximum allowed batch size ${MAX_TEI}`, 422)
        : undefined;
    },
  },
];

/** Of the words of the query, how many stand in a document; ties go by place. */
function rank(query: string, documents: readonly string[], topN = documents.length) {
  const words = new Set(withoutScript(query).toLowerCase().split(/\s+/));
  const scored = documents.map((document, index) => {
    const own = document.toLowerCase().split(/\s+/);
    return { index, score: own.filter((word) => words.has(word)).length / (own.length + 1) };
  });
  return scored.toSorted((a, b) => b.score - a.score || a.index - b.index).slice(0, topN);
}

const findDocumentText = (document: unknown): string =>
  typeof document === 'string' ? document : String(field(document, 'text') ?? JSON.stringify(document));

const readTexts = (body: Json, name: 'documents' | 'texts'): TaskQuestion => ({
  model: String(body['model'] ?? 'tei'),
  inputs: [String(body['query']), ...list(body[name]).map(findDocumentText)],
});

/** The query is read with each document. */
const countTokens = ([query = '', ...documents]: readonly string[], { usage }: Script): number =>
  usage?.input ??
  documents.reduce((sum, each) => sum + countWords(withoutScript(query)) + countWords(each), 0);

const split = ({ inputs }: TaskQuestion): readonly [string, readonly string[]] => {
  const [query = '', ...documents] = inputs as readonly string[];
  return [query, documents];
};

/** One search for each hundred documents. */
export const cohereRerank: TaskDoor = {
  refuse: refuseBy({ rules: COHERE_RERANK_RULES, profiles: [], unknown: {} }),
  error: cohereError,
  credential: bearer,
  read: (body) => readTexts(body, 'documents'),
  answer(question, body, script) {
    const [query, documents] = split(question);
    const searches = Math.ceil(documents.length / 100);
    const results = rank(query, documents, body['top_n'] as number | undefined);
    return {
      body: {
        id: 'sim-rerank',
        results: results.map(({ index, score }) => ({ index, relevance_score: score })),
        meta: {
          api_version: { version: '2' },
          ...(script.no_usage ? {} : { billed_units: { search_units: searches } }),
        },
      },
      billed: [
        {
          model: question.model,
          tier: 'standard',
          region: undefined,
          tokens: {},
          tools: { rerank: searches },
        },
      ],
      tokens: 0,
    };
  },
};

export const jinaRerank: TaskDoor = {
  refuse: refuseBy({ rules: JINA_RERANK_RULES, profiles: [], unknown: {} }),
  error: openaiError,
  credential: bearer,
  read: (body) => readTexts(body, 'documents'),
  answer(question, body, script) {
    const [query, documents] = split(question);
    const tokens = countTokens(question.inputs as readonly string[], script);
    const results = rank(query, documents, body['top_n'] as number | undefined);
    return {
      body: {
        model: question.model,
        object: 'list',
        ...(script.no_usage ? {} : { usage: { total_tokens: tokens } }),
        results: results.map(({ index, score }) => ({
          index,
          relevance_score: score,
          ...(body['return_documents'] === false ? {} : { document: { text: documents[index] } }),
        })),
      },
      billed: [
        { model: question.model, tier: 'standard', region: undefined, tokens: { input: tokens }, tools: {} },
      ],
      tokens,
    };
  },
};

/** It answers a bare list, and bills nobody. */
export const teiRerank: TaskDoor = {
  refuse: refuseBy({ rules: TEI_RERANK_RULES, profiles: [], unknown: {} }),
  error: (status, message) => ({ error: message, error_type: status === 422 ? 'Validation' : 'Backend' }),
  credential: bearer,
  read: (body) => readTexts(body, 'texts'),
  answer(question) {
    const [query, documents] = split(question);
    return { body: rank(query, documents), billed: [], tokens: 0 };
  },
};
