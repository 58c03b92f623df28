import { z } from 'zod';
import { booleanAt, isObject, type JsonObject, listAt, numberAt, textAt } from '../../json.ts';
import { atLeastOne, modelField } from '../../schema.ts';
import type { TaskClient } from '../task-codec.ts';
import type { RerankRequest } from './ranking.ts';

/** No vendor takes more at once. */
const MAX_DOCUMENTS = 10_000;

const documents = z
  .array(z.union([z.string(), z.looseObject({})], { error: 'must be a string or an object' }), {
    error: 'is required and must be an array of documents',
  })
  .min(1, 'must not be empty')
  .max(MAX_DOCUMENTS, `must be at most ${MAX_DOCUMENTS} documents`);

const schema = z.looseObject({
  model: modelField,
  query: z.string({ error: 'is required and must be a string' }).min(1, 'must not be empty'),
  documents,
  top_n: atLeastOne.nullish(),
  return_documents: z.boolean({ error: 'must be true or false' }).nullish(),
  max_tokens_per_doc: atLeastOne.nullish(),
});

/** What a model reads of a document that is more than a text. */
function readDocument(document: unknown): string {
  if (typeof document === 'string') return document;
  const text = isObject(document) ? document['text'] : undefined;
  return typeof text === 'string' ? text : JSON.stringify(document);
}

export const readRerank = (body: JsonObject): RerankRequest => ({
  query: textAt(body, 'query'),
  documents: listAt(body, 'documents').map(readDocument),
  topN: numberAt(body, 'top_n'),
  returnsDocuments: booleanAt(body, 'return_documents') ?? false,
  maxTokensPerDocument: numberAt(body, 'max_tokens_per_doc'),
});

/** Cohere counts up to so many documents with their query as one search. */
const DOCUMENTS_OF_UNIT = 100;
/** A longer document counts as several of so many tokens, less the query, which stands in each. */
const TOKENS_OF_PART = 500;
const TOKENS_OF_DOCUMENT = 4_096;

function countUnits(body: JsonObject) {
  const { query, documents: all, maxTokensPerDocument = TOKENS_OF_DOCUMENT } = readRerank(body);
  const room = Math.max(TOKENS_OF_PART / 2, TOKENS_OF_PART - Buffer.byteLength(query));
  const parts = all.reduce(
    (sum, each) =>
      sum + Math.max(1, Math.ceil(Math.min(Buffer.byteLength(each), maxTokensPerDocument) / room)),
    0,
  );
  return {
    counted: Math.ceil(all.length / DOCUMENTS_OF_UNIT),
    max: Math.ceil(parts / DOCUMENTS_OF_UNIT),
  };
}

/** Jina, Cohere and those who speak as they do: clients of all of them say the same. */
export const rerankClient: TaskClient = {
  schema,
  modelInBody: true,
  readInputs(body) {
    const { query, documents: all } = readRerank(body);
    return all.map((document) => ({ texts: [query, document] }));
  },
  readUnits: (body) => ({ rerank_units: countUnits(body) }),
};
