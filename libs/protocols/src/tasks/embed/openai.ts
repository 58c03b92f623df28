import { z } from 'zod';
import { findOwn } from '@tollgate/vocabulary';
import { countAt, isObject, type JsonObject, listAt, nonZero, numberAt, objectAt } from '../../json.ts';
import { atLeastOne, modelField } from '../../schema.ts';
import { setBodyFields } from '../../upstream-request.ts';
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

/** OpenAI takes no more at once. */
const MAX_EMBED_INPUTS = 2_048;

const text = z.string().min(1, 'must not be empty');
const tokens = z.array(z.int().nonnegative()).min(1, 'must not be empty');
const many = <T extends z.ZodType>(each: T) =>
  z
    .array(each)
    .min(1, 'must not be empty')
    .max(MAX_EMBED_INPUTS, `must be at most ${MAX_EMBED_INPUTS} inputs`);

const input = z.unknown().superRefine((value, context) => {
  const schema =
    typeof value === 'string'
      ? text
      : !Array.isArray(value)
        ? NEITHER
        : typeof value[0] === 'string'
          ? many(text)
          : Array.isArray(value[0])
            ? many(tokens)
            : tokens;
  const checked = schema.safeParse(value);
  for (const { path, message } of checked.error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message });
});
const NEITHER = z.never({ error: 'is required and must be a string, or an array of strings or of tokens' });

const schema = z.looseObject({
  model: modelField,
  input,
  dimensions: atLeastOne.nullish(),
  encoding_format: z.enum(['float', 'base64'], { error: 'must be "float" or "base64"' }).nullish(),
  user: z.string({ error: 'must be a string' }).nullish(),
});

/** Clients of those who need it say what the vectors are for. */
const PURPOSES: Readonly<Record<string, string>> = {
  query: 'RETRIEVAL_QUERY',
  search_query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  passage: 'RETRIEVAL_DOCUMENT',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

function readInputs(body: JsonObject): EmbedInput[] {
  const { input: given, input_type: type } = body;
  const dimensions = numberAt(body, 'dimensions');
  const purpose = typeof type === 'string' ? findOwn(PURPOSES, type.toLowerCase()) : undefined;
  const list: readonly unknown[] =
    Array.isArray(given) && typeof given[0] !== 'number' ? (given as unknown[]) : [given];
  return list.map((each) =>
    typeof each === 'string'
      ? { text: each, purpose, dimensions }
      : { tokens: each as readonly number[], purpose, dimensions },
  );
}

const findUsage = (body: unknown): JsonObject | undefined => objectAt(body, 'usage');

export const openaiEmbedClient: TaskClient = {
  schema,
  modelInBody: true,
  readInputs: (body) =>
    readInputs(body).map(({ text: said, tokens: given }) => ({
      texts: said === undefined ? [] : [said],
      tokens: given?.length ?? 0,
    })),
};

export const openaiEmbedUpstream: TaskUpstream = {
  path: () => '/v1/embeddings',
  rules: wholeAnswerRules({
    findUsage,
    // Voyage tells the total alone.
    toTokens: (usage) =>
      nonZero({ input: countAt(usage, 'prompt_tokens') || countAt(usage, 'total_tokens') }),
  }),
};

export const openaiEmbed: TaskHalf<EmbedRequest, EmbedAnswer> = {
  maxInputs: MAX_EMBED_INPUTS,
  read: (body) => ({
    inputs: readInputs(body),
    encoding: body['encoding_format'] === 'base64' ? 'base64' : 'float',
  }),
  write(request, model) {
    const { inputs, encoding } = request;
    const uncarried = findUncarried(request, ['hasMedia', 'dimensions']);
    if (uncarried) return uncarried;
    const dimensions = inputs[0]?.dimensions;
    const given = inputs.map((each) => each.text ?? each.tokens);
    const says = (name: 'purpose' | 'title') => inputs.some((each) => each[name] !== undefined);
    return {
      ok: true,
      body: {
        model,
        input: given,
        encoding_format: encoding,
        ...(dimensions === undefined ? {} : { dimensions }),
      },
      dropped: [...(says('purpose') ? ['taskType'] : []), ...(says('title') ? ['title'] : [])],
    };
  },
  readAnswer(answer, request) {
    // A list would be as long as the highest place that an answer names.
    const vectors = new Map(
      listAt(answer, 'data').map((entry, at) => [
        numberAt(entry, 'index') ?? at,
        isObject(entry) ? readVector(entry['embedding']) : undefined,
      ]),
    );
    if (vectors.size !== request.inputs.length) return undefined;
    return allVectors(
      request.inputs.map((_, at) => vectors.get(at)),
      request,
    );
  },
  // Many who speak the format answer floats whatever was asked for.
  isAsAsked: (answer, { encoding }) =>
    listAt(answer, 'data').every(
      (entry) => isObject(entry) && (typeof entry['embedding'] === 'string') === (encoding === 'base64'),
    ),
  writeAnswer: ({ vectors }, { request, model, tokens: used }) => ({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: toEncoding(vector, request.encoding),
    })),
    model,
    usage: { prompt_tokens: used, total_tokens: used },
  }),
  rename: ({ bytes, upstreamModel }) => setBodyFields(bytes, { model: upstreamModel }),
};
