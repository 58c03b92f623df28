import { bearer } from '../formats/format.ts';
import { list } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import { billInput, countTokens, toBase64, makeVector } from './embedding.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://docs.cohere.com/reference/embed';
const MAX_TEXTS = 96;
const MEMBERS = new Set(
  'model input_type texts images inputs max_tokens output_dimension embedding_types truncate priority'.split(
    ' ',
  ),
);
const INPUT_TYPES = ['search_document', 'search_query', 'classification', 'clustering', 'image'];
const EMBEDDING_TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'];
const DIMENSIONS = [256, 512, 1_024, 1_536];

/** Cohere's error envelope. */
export const cohereError = (_status: number, message: string): object => ({ id: 'sim-error', message });

const wrong = (message: string): Refusal => ({ status: 400, message });
const rule = (id: string, refuses: string, check: Rule<object>['check']): Rule<object> => ({
  id: `cohere-embed-${id}`,
  refuses,
  source: API,
  check,
});

export const COHERE_EMBED_RULES = [
  rule('unknown-member', 'a member that the end point does not know', ({ body }) => {
    const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
    return unknown === undefined
      ? undefined
      : wrong(`unknown field: parameter '${unknown}' is not a valid field`);
  }),
  rule('model', 'no model', ({ body }) =>
    typeof body['model'] === 'string' ? undefined : wrong('invalid request: model is required'),
  ),
  rule('input-type', 'no input type, or one that there is not', ({ body }) =>
    INPUT_TYPES.includes(String(body['input_type']))
      ? undefined
      : wrong('invalid request: valid input_type must be provided with the provided model'),
  ),
  rule('texts', `no texts, more than ${MAX_TEXTS}, or an empty one`, ({ body }) => {
    const texts = list(body['texts']);
    if (texts.length === 0 || texts.some((text) => typeof text !== 'string' || text === ''))
      return wrong('invalid request: all texts must be strings that are not empty');
    return texts.length > MAX_TEXTS
      ? wrong(
          `invalid request: total number of texts must be at most ${MAX_TEXTS} - received ${texts.length}`,
        )
      : undefined;
  }),
  rule('embedding-types', 'a type of embeddings that there is not', ({ body }) =>
    list(body['embedding_types']).every((type) => EMBEDDING_TYPES.includes(String(type)))
      ? undefined
      : wrong('invalid request: embedding_types must be among float, int8, uint8, binary, ubinary, base64'),
  ),
  rule('dimension', 'a dimension other than 256, 512, 1024 and 1536', ({ body }) =>
    body['output_dimension'] === undefined || DIMENSIONS.includes(Number(body['output_dimension']))
      ? undefined
      : wrong('invalid request: output_dimension must be one of 256, 512, 1024, 1536'),
  ),
];

/** Cohere's `/v2/embed`. */
export const cohereEmbed: TaskDoor = {
  refuse: refuseBy({ rules: COHERE_EMBED_RULES, profiles: [], unknown: {} }),
  error: cohereError,
  credential: bearer,
  read: (body) => ({ model: String(body['model']), inputs: list(body['texts']) as readonly string[] }),
  answer({ model, inputs }, body, script) {
    const tokens = countTokens(inputs, script);
    const vectors = inputs.map((input) => makeVector(input, body['output_dimension'] as number | undefined));
    const types = body['embedding_types'] === undefined ? ['float'] : list(body['embedding_types']);
    const embeddings = Object.fromEntries(
      types.map((type) => [String(type), type === 'base64' ? vectors.map(toBase64) : vectors]),
    );
    return {
      body: {
        id: 'sim-embed',
        embeddings,
        texts: inputs,
        meta: {
          api_version: { version: '2' },
          ...(script.no_usage ? {} : { billed_units: { input_tokens: tokens } }),
        },
        response_type: 'embeddings_by_type',
      },
      billed: billInput(model, tokens),
      tokens,
    };
  },
};
