import { field, isObject, type Json, list } from '../question.ts';
import { samplesFreely, unsupportedEffort } from './openai-chat-sampling.ts';
import { isOpenAI, OPENAI_PROFILES, type OpenAIProfile, reasons, UNKNOWN_OPENAI } from './openai-profiles.ts';
import {
  findBadToolName,
  findBelow,
  findLongIdentifier,
  invalidTag,
  openaiRefusal,
  unknownParameter,
  unsupportedParameter,
} from './openai-refusals.ts';
import { ITEM_RULES } from './openai-responses-items.ts';
import { RESPONSES_SHAPE } from './openai-responses-shape.ts';
import { findBadSchema } from './openai-schema.ts';
import { findFirst, type Refusal, type Rule, type RuleBook } from './rule.ts';
import { findUnknown, valueAt } from './shape.ts';

type ResponsesRule = Rule<OpenAIProfile>;

/** What Chat Completions calls otherwise. */
const MOVED: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
};

const MEMBERS: readonly ResponsesRule[] = [
  {
    id: 'moved-parameter',
    refuses: 'a name that only Chat Completions has, such as `messages`, `max_tokens` or `response_format`',
    source: 'https://github.com/CherryHQ/cherry-studio/issues/14522',
    check: ({ body }) =>
      findFirst(Object.entries(MOVED), ([name, place]) =>
        body[name] === undefined
          ? undefined
          : openaiRefusal(
              `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved to '${place}'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.`,
              undefined,
              'unsupported_parameter',
            ),
      ),
  },
  {
    id: 'unknown-parameter',
    refuses: 'a member that the API does not know, at any place',
    source: 'https://github.com/openai/openai-python/pull/3146',
    check: ({ body, profile }) => {
      if (!isOpenAI(profile)) return undefined;
      const found = findUnknown(RESPONSES_SHAPE, body).find(({ expected }) => !expected);
      return found && unknownParameter(found);
    },
  },
  {
    id: 'unknown-kind',
    refuses:
      'a type of an item, a part or a tool that the API does not have, such as `input_text` of an assistant',
    source: 'https://github.com/sunwu51/TabPilot/pull/46',
    check: ({ body, profile }) => {
      if (!isOpenAI(profile)) return undefined;
      const found = findUnknown(RESPONSES_SHAPE, body).find(({ expected }) => expected !== undefined);
      return found && invalidTag(found, valueAt(body, [...found.path, found.member]));
    },
  },
  {
    id: 'background-stored',
    refuses: '`background` with `store: false`, as nobody could fetch the answer',
    source: 'https://platform.openai.com/docs/guides/background',
    check: ({ body }) =>
      body['background'] === true && body['store'] === false
        ? openaiRefusal("Invalid value: 'background' requires 'store' to be true.", 'background')
        : undefined,
  },
  {
    id: 'lengths',
    refuses: '`user`, `safety_identifier` or `prompt_cache_key` of more than 64 characters',
    source: 'https://github.com/vybestack/llxprt-code/issues/2135',
    check: ({ body }) => findLongIdentifier(body),
  },
  {
    id: 'least-output',
    refuses: '`max_output_tokens` below 16',
    source: 'https://github.com/vectorize-io/hindsight/issues/58',
    check: ({ body }) => findBelow('max_output_tokens', body['max_output_tokens'], 16),
  },
  {
    id: 'most-output',
    refuses: '`max_output_tokens` above what the model can write',
    source: 'https://platform.openai.com/docs/models',
    check: ({ body: { max_output_tokens: asked }, profile: { maxOutput } }) =>
      maxOutput !== undefined && typeof asked === 'number' && asked > maxOutput
        ? openaiRefusal(
            `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${maxOutput}, but got ${asked} instead.`,
            'max_output_tokens',
            'integer_above_max_value',
          )
        : undefined,
  },
];

const MODELS: readonly ResponsesRule[] = [
  {
    id: 'encrypted-content',
    refuses: '`include: ["reasoning.encrypted_content"]` on a model that does not reason',
    source: 'https://github.com/pydantic/pydantic-ai/issues/2865',
    check: ({ body, profile }) =>
      isOpenAI(profile) && !reasons(profile) && list(body['include']).includes('reasoning.encrypted_content')
        ? openaiRefusal('Encrypted content is not supported with this model.', 'include')
        : undefined,
  },
  {
    id: 'effort',
    refuses: '`reasoning.effort` on a model that does not reason, or a level that the model does not have',
    source: 'https://platform.openai.com/docs/guides/reasoning',
    check: ({ body, profile }) => {
      const effort = field(body['reasoning'], 'effort');
      const { efforts } = profile;
      if (typeof effort !== 'string' || efforts === undefined || efforts.includes(effort)) return undefined;
      return efforts.length === 0
        ? unsupportedParameter('reasoning.effort')
        : unsupportedEffort('reasoning.effort', effort, efforts);
    },
  },
  {
    id: 'sampling',
    refuses: '`temperature`, `top_p` or `top_logprobs` on a model that reasons',
    source: 'https://platform.openai.com/docs/guides/latest-model',
    check: ({ body, profile }) => {
      if (samplesFreely(profile, field(body['reasoning'], 'effort') ?? undefined)) return undefined;
      return findFirst(['temperature', 'top_p', 'top_logprobs'], (name) =>
        (body[name] ?? null) === null ? undefined : unsupportedParameter(name),
      );
    },
  },
  {
    id: 'tool-names',
    refuses:
      'a tool without a name, or whose name has more than 64 characters or other than letters, digits, `_` and `-`',
    source: 'https://github.com/brekkylab/ailoy/pull/109',
    check: ({ body }) => findFirst(list(body['tools']), findBadTool),
  },
  {
    id: 'tool-schemas',
    refuses: 'parameters of a tool that are no schema of an object, or a strict tool that is not closed',
    source: 'https://github.com/kevinwatt/mysql-mcp/issues/5',
    check: ({ body }) =>
      findFirst(list(body['tools']), (tool, index) => {
        const schema = field(tool, 'parameters');
        if (field(tool, 'type') !== 'function' || (schema ?? null) === null) return undefined;
        const bad = findBadSchema(schema, field(tool, 'strict') === true);
        return bad === undefined
          ? undefined
          : openaiRefusal(
              `Invalid schema for function '${String(field(tool, 'name'))}': ${bad}`,
              `tools[${index}].parameters`,
              'invalid_function_parameters',
            );
      }),
  },
  {
    id: 'answer-schema',
    refuses: 'a `json_schema` without a name, or a strict one that is not closed',
    source: 'https://platform.openai.com/docs/guides/structured-outputs',
    check: ({ body }) => findBadFormat(field(body['text'], 'format')),
  },
  {
    id: 'json-word',
    refuses: '`json_object` where nothing in the input has the word json; the instructions do not count',
    source: 'https://github.com/miracodeai/mira/pull/267',
    check: ({ body }) => {
      if (field(field(body['text'], 'format'), 'type') !== 'json_object') return undefined;
      if (/json/i.test(JSON.stringify(body['input']))) return undefined;
      return openaiRefusal(
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        'input',
      );
    },
  },
];

function findBadTool(tool: unknown, index: number): Refusal | undefined {
  const type = field(tool, 'type');
  if (type !== 'function' && type !== 'custom') return undefined;
  const param = `tools[${index}].name`;
  const name = field(tool, 'name');
  if (typeof name === 'string') return findBadToolName(param, name);
  return openaiRefusal(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

function findBadFormat(format: unknown): Refusal | undefined {
  if (!isObject(format) || format['type'] !== 'json_schema') return undefined;
  const { name, schema, strict }: Json = format;
  if (typeof name !== 'string') {
    const param = 'text.format.name';
    return openaiRefusal(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
  }
  const bad = strict === true ? findBadSchema(schema, true) : undefined;
  return bad === undefined
    ? undefined
    : openaiRefusal(
        `Invalid schema for response_format '${name}': ${bad}`,
        'text.format.schema',
        'invalid_json_schema',
      );
}

export const RESPONSES_RULES: RuleBook<OpenAIProfile> = {
  rules: [...MEMBERS, ...MODELS, ...ITEM_RULES],
  profiles: OPENAI_PROFILES,
  unknown: UNKNOWN_OPENAI,
};
