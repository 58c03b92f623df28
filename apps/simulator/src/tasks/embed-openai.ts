import { bearer } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { field, list } from '../question.ts';
import { refuseBy, type Refusal, type Rule, type VendorRequest } from '../rules/rule.ts';
import { billInput, countTokens, toBase64, makeVector } from './embedding.ts';
import type { TaskDoor, TaskQuestion } from './task-door.ts';

const API = 'https://platform.openai.com/docs/api-reference/embeddings/create';

const MEMBERS = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user']);
const MAX_INPUTS = 2_048;
const MAX_TOKENS = 8_192;
const MAX_ALL_TOKENS = 300_000;

const wrong = (message: string, param: string): Refusal => ({ status: 400, message, param });

/** A text, texts, tokens, or lists of tokens. */
const listInputs = ({ body: { input } }: Pick<VendorRequest, 'body'>): readonly unknown[] =>
  Array.isArray(input) && typeof input[0] !== 'number' ? (input as unknown[]) : [input];

const isTokens = (each: unknown): each is readonly number[] =>
  Array.isArray(each) && each.length > 0 && each.every((token) => Number.isInteger(token) && token >= 0);
const isInput = (each: unknown): each is string | readonly number[] =>
  (typeof each === 'string' && each !== '') || isTokens(each);

const rule = (id: string, refuses: string, check: Rule<object>['check']): Rule<object> => ({
  id,
  refuses,
  source: API,
  check,
});

export const OPENAI_EMBED_RULES = [
  rule('embed-unknown-member', 'a member that the end point does not know', ({ body }) => {
    const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
    return unknown === undefined
      ? undefined
      : wrong(`Unrecognized request argument supplied: ${unknown}`, unknown);
  }),
  rule('embed-model', 'no model', ({ body }) =>
    typeof body['model'] === 'string' && body['model'] !== ''
      ? undefined
      : wrong('you must provide a model parameter', 'model'),
  ),
  rule(
    'embed-input',
    'an input that is neither text nor tokens, an empty one, or texts and tokens together',
    (request) => {
      const inputs = listInputs(request);
      const types = new Set(inputs.map((each) => typeof each));
      return inputs.length > 0 && types.size === 1 && inputs.every(isInput)
        ? undefined
        : wrong("'$.input' is invalid. Please check the API reference.", 'input');
    },
  ),
  rule('embed-inputs', `more than ${MAX_INPUTS} inputs`, (request) =>
    listInputs(request).length > MAX_INPUTS
      ? wrong(`'$.input' is invalid: array too long, at most ${MAX_INPUTS} entries.`, 'input')
      : undefined,
  ),
  rule(
    'embed-tokens',
    `more than ${MAX_TOKENS} tokens in one input, or ${MAX_ALL_TOKENS} in all`,
    (request) => {
      const counts = listInputs(request).map((each) => countTokens([each as string], {}));
      const sum = counts.reduce((before, each) => before + each, 0);
      if (counts.some((each) => each > MAX_TOKENS))
        return wrong(`This model's maximum context length is ${MAX_TOKENS} tokens.`, 'input');
      return sum > MAX_ALL_TOKENS
        ? wrong(`Requested ${sum} tokens, max ${MAX_ALL_TOKENS} tokens per request`, 'input')
        : undefined;
    },
  ),
  rule('embed-encoding', 'an encoding other than `float` and `base64`', ({ body }) =>
    [undefined, 'float', 'base64'].includes(body['encoding_format'] as string | undefined)
      ? undefined
      : wrong(`'${String(body['encoding_format'])}' is not one of ['float', 'base64']`, 'encoding_format'),
  ),
  rule(
    'embed-dimensions',
    'dimensions below 1, and any of a model from before there were some',
    ({ body, model }) => {
      const { dimensions } = body;
      if (dimensions === undefined) return undefined;
      if (model === 'text-embedding-ada-002')
        return wrong('This model does not support specifying dimensions.', 'dimensions');
      return Number.isInteger(dimensions) && (dimensions as number) >= 1
        ? undefined
        : wrong("'$.dimensions' must be a positive integer.", 'dimensions');
    },
  ),
];

/** OpenAI's `/v1/embeddings`. */
export const openaiEmbed: TaskDoor = {
  refuse: refuseBy({ rules: OPENAI_EMBED_RULES, profiles: [], unknown: {} }),
  error: openaiError,
  credential: bearer,
  read: (body) => ({ model: String(body['model']), inputs: listInputs({ body }) as TaskQuestion['inputs'] }),
  answer({ model, inputs }, body, script) {
    const tokens = countTokens(inputs, script);
    const asText = field(body, 'encoding_format') === 'base64' && script.ignores_encoding !== true;
    const data = inputs.map((input, index) => {
      const vector = makeVector(input, body['dimensions'] as number | undefined);
      return { object: 'embedding', index, embedding: asText ? toBase64(vector) : vector };
    });
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    return {
      body: {
        object: 'list',
        // Nobody promises their order.
        data: list(data).toReversed(),
        model,
        ...(script.no_usage ? {} : { usage }),
      },
      billed: billInput(model, tokens),
      tokens,
    };
  },
};

/** Jina's, which names the encoding `embedding_type` and reads nothing of OpenAI's name for it. */
export const jinaEmbed: TaskDoor = {
  ...openaiEmbed,
  answer: (question, body, script) =>
    openaiEmbed.answer(question, body, { ...script, ignores_encoding: true }),
};
