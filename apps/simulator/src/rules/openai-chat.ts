import { field, isObject, type Json, list } from '../question.ts';
import { CALL_RULES } from './openai-chat-calls.ts';
import { CHAT_SHAPE } from './openai-chat-shape.ts';
import { VENDOR_RULES } from './openai-chat-vendors.ts';
import { SAMPLING_RULES } from './openai-chat-sampling.ts';
import { isOpenAI, OPENAI_PROFILES, type OpenAIProfile, UNKNOWN_OPENAI } from './openai-profiles.ts';
import {
  findBadToolName,
  findEmptyArray,
  findLongIdentifier,
  invalidTag,
  openaiRefusal,
  unknownParameter,
} from './openai-refusals.ts';
import { findBadSchema } from './openai-schema.ts';
import { findFirst, type Refusal, type Rule, type RuleBook } from './rule.ts';
import { findUnknown, valueAt } from './shape.ts';

type ChatRule = Rule<OpenAIProfile>;
type Check = (body: Json) => Refusal | undefined;

/** A check that only OpenAI itself makes. */
const openai =
  (check: Check): ChatRule['check'] =>
  (request) =>
    isOpenAI(request.profile) ? check(request.body) : undefined;

const CONTENT: readonly ChatRule[] = [
  {
    id: 'unknown-argument',
    refuses: 'a member of the request that the API does not know',
    source: 'https://github.com/xlinx/sd-webui-decadetw-auto-prompt-llm/issues/29',
    check: openai((body) => {
      const names = findUnknown(CHAT_SHAPE, body)
        .filter(({ path, expected }) => path.length === 0 && !expected)
        .map(({ member }) => member);
      if (names.length === 0) return undefined;
      return openaiRefusal(
        `Unrecognized request argument${names.length > 1 ? 's' : ''} supplied: ${names.join(', ')}`,
      );
    }),
  },
  {
    id: 'unknown-parameter',
    refuses: 'a member that is unknown inside an option or a tool; inside a message it is ignored',
    source: 'https://github.com/spring-projects/spring-ai/issues/2969',
    check: openai((body) => {
      const found = findUnknown(CHAT_SHAPE, body).find(
        ({ path: [place], expected }) => place !== undefined && place !== 'messages' && !expected,
      );
      return found && unknownParameter(found);
    }),
  },
  {
    id: 'unknown-kind',
    refuses: 'a role, or a type of a part, a tool or a format, that the API does not have',
    source: 'https://github.com/openai/openai-openapi',
    check: openai((body) => {
      const found = findUnknown(CHAT_SHAPE, body).find(({ expected }) => expected !== undefined);
      return found && invalidTag(found, valueAt(body, [...found.path, found.member]));
    }),
  },
  {
    id: 'empty-content',
    refuses: '`content: null`, but of an assistant that calls a tool or refuses',
    source: 'https://github.com/langchain-ai/langchainjs/issues/4153',
    check: openai((body) => {
      const at = list(body['messages']).findIndex(
        (message) =>
          (field(message, 'content') ?? null) === null &&
          !['tool_calls', 'function_call', 'refusal', 'audio'].some((name) => field(message, name)),
      );
      return at < 0
        ? undefined
        : openaiRefusal(
            `Invalid value for 'content': expected a string, got null.`,
            `messages.[${at}].content`,
          );
    }),
  },
  {
    id: 'image-url',
    refuses: '`image_url` as a string in place of an object',
    source: 'https://platform.openai.com/docs/guides/images-vision',
    check: openai((body) => {
      for (const [index, message] of list(body['messages']).entries()) {
        for (const [part, each] of list(field(message, 'content')).entries()) {
          const param = `messages[${index}].content[${part}].image_url`;
          if (typeof field(each, 'image_url') !== 'string') continue;
          return openaiRefusal(
            `Invalid type for '${param}': expected an object, but got a string instead.`,
            param,
            'invalid_type',
          );
        }
      }
      return undefined;
    }),
  },
  {
    id: 'images-of-users',
    refuses: 'a picture in a message of anybody but the user, a result of a tool too',
    source: 'https://github.com/OpenHands/OpenHands/issues/7700',
    check: openai((body) =>
      findFirst(list(body['messages']), (message, at) => {
        const role = String(field(message, 'role'));
        return role !== 'user' &&
          list(field(message, 'content')).some((part) => field(part, 'type') === 'image_url')
          ? openaiRefusal(
              `Invalid 'messages[${at}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
              `messages[${at}]`,
              'invalid_value',
            )
          : undefined;
      }),
    ),
  },
  {
    id: 'json-word',
    refuses: '`json_object` where no message has the word json',
    source: 'https://github.com/StefanBratanov/jvm-openai/issues/15',
    check: openai((body) => {
      if (field(body['response_format'], 'type') !== 'json_object') return undefined;
      const written = JSON.stringify(list(body['messages']).map((message) => field(message, 'content')));
      if (/json/i.test(written)) return undefined;
      return openaiRefusal(
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        'messages',
      );
    }),
  },
];

const FIELDS: readonly ChatRule[] = [
  {
    id: 'lengths',
    refuses: '`user`, `safety_identifier` or `prompt_cache_key` of more than 64 characters',
    source: 'https://github.com/theopenco/llmgateway/pull/3110',
    check: openai(findLongIdentifier),
  },
  {
    id: 'metadata-store',
    refuses: '`metadata` without `store: true`',
    source: 'https://github.com/spiceai/spiceai/pull/5231',
    check: openai((body) =>
      isObject(body['metadata']) && body['store'] !== true
        ? openaiRefusal("The 'metadata' parameter is only allowed when 'store' is enabled.", 'metadata')
        : undefined,
    ),
  },
  {
    id: 'stream-options',
    refuses: '`stream_options` without `stream: true`',
    source: 'https://github.com/BerriAI/litellm/issues/5803',
    check: openai((body) =>
      isObject(body['stream_options']) && body['stream'] !== true
        ? openaiRefusal(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            'stream_options',
          )
        : undefined,
    ),
  },
  {
    id: 'tool-names',
    refuses: 'a tool whose name has more than 64 characters or others than letters, digits, `_` and `-`',
    source: 'https://github.com/home-assistant/core/issues/121325',
    check: openai((body) =>
      findFirst(list(body['tools']), (tool, index) =>
        findBadToolName(`tools[${index}].function.name`, field(field(tool, 'function'), 'name')),
      ),
    ),
  },
  {
    id: 'empty-tools',
    refuses: 'an empty list of tools, or of calls of a message',
    source: 'https://github.com/home-assistant/core/pull/118577',
    check: openai(
      (body) =>
        findEmptyArray('tools', body['tools']) ??
        findFirst(list(body['messages']), (message, at) =>
          findEmptyArray(`messages[${at}].tool_calls`, field(message, 'tool_calls')),
        ),
    ),
  },
  {
    id: 'tool-options-alone',
    refuses: '`tool_choice` or `parallel_tool_calls` without tools',
    source: 'https://github.com/Upsonic/Upsonic/issues/323',
    check: openai((body) => {
      if (list(body['tools']).length > 0 || list(body['functions']).length > 0) return undefined;
      const name = ['parallel_tool_calls', 'tool_choice'].find(
        (option) => (body[option] ?? null) !== null && body[option] !== 'none',
      );
      return name === undefined
        ? undefined
        : openaiRefusal(
            `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
            name,
          );
    }),
  },
  {
    id: 'tool-schemas',
    refuses:
      'parameters of a tool that are no schema of an object, alternatives at their root, or a strict tool that is not closed',
    source: 'https://github.com/lastmile-ai/openai-agents-mcp/issues/2',
    check: openai((body) =>
      findFirst(list(body['tools']), (tool, index) => {
        const declared = field(tool, 'function');
        const schema = field(declared, 'parameters');
        if ((schema ?? null) === null) return undefined;
        const bad = findBadSchema(schema, field(declared, 'strict') === true);
        return bad === undefined
          ? undefined
          : openaiRefusal(
              `Invalid schema for function '${String(field(declared, 'name'))}': ${bad}`,
              `tools[${index}].function.parameters`,
              'invalid_function_parameters',
            );
      }),
    ),
  },
  {
    id: 'answer-schema',
    refuses: 'a strict `json_schema` that is not closed or does not require each of its properties',
    source: 'https://platform.openai.com/docs/guides/structured-outputs',
    check: openai((body) => {
      const jsonSchema = field(body['response_format'], 'json_schema');
      if (field(jsonSchema, 'strict') !== true) return undefined;
      const bad = findBadSchema(field(jsonSchema, 'schema'), true);
      return bad === undefined
        ? undefined
        : openaiRefusal(
            `Invalid schema for response_format '${String(field(jsonSchema, 'name'))}': ${bad}`,
            'response_format',
          );
    }),
  },
];

export const CHAT_RULES: RuleBook<OpenAIProfile> = {
  rules: [...CONTENT, ...FIELDS, ...SAMPLING_RULES, ...CALL_RULES, ...VENDOR_RULES],
  profiles: OPENAI_PROFILES,
  unknown: UNKNOWN_OPENAI,
};
