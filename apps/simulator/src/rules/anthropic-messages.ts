import { field, isObject, list, type Json } from '../question.ts';
import { ANTHROPIC_PROFILES, type AnthropicProfile, UNKNOWN_ANTHROPIC } from './anthropic-profiles.ts';
import { findUnsupported } from './anthropic-schema.ts';
import { BETA_MEMBERS, COUNT_SHAPE, MESSAGES_SHAPE } from './anthropic-shape.ts';
import { THINKING_RULES } from './anthropic-thinking.ts';
import { TURN_RULES } from './anthropic-turns.ts';
import { findFirst, type Refusal, type Rule, type RuleBook, type RuledRequest } from './rule.ts';
import { dottedPath, type Finding, findUnknown, type Step, valueAt } from './shape.ts';

type AnthropicRule = Rule<AnthropicProfile>;

const invalid = (message: string): Refusal => ({ status: 400, message });

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

const MEMBERS: readonly AnthropicRule[] = [
  {
    id: 'version',
    refuses: 'a request without the header `anthropic-version`',
    source: 'https://platform.claude.com/docs/en/api/versioning',
    check: ({ header }) =>
      header('anthropic-version') ? undefined : invalid('anthropic-version: header is required'),
  },
  {
    id: 'extra-input',
    refuses: 'a member that the API does not know, at any place; `max_tokens` where tokens are only counted',
    source: 'https://github.com/RooCodeInc/Roo-Code/issues/11429',
    check: (request) => {
      const found = findings(request).find(({ expected }) => !expected);
      if (!found) return undefined;
      return invalid(`${dottedPath([...found.path, found.member])}: Extra inputs are not permitted`);
    },
  },
  {
    id: 'unknown-tag',
    refuses: 'a type of a block, a source or a choice that the API does not have',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: (request) => {
      const found = findings(request).find(({ expected }) => expected !== undefined);
      if (!found || isVendorsTool(found)) return undefined;
      const value = String(valueAt(request.body, [...found.path, found.member]));
      const tags = (found.expected ?? []).map((tag) => `'${tag}'`).join(', ');
      return invalid(
        `${dottedPath(found.path)}: Input tag '${value}' found using '${found.member}' does not match any of the expected tags: ${tags}`,
      );
    },
  },
  {
    id: 'required',
    refuses: 'a request for an answer without `max_tokens`',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body, counts }) =>
      !counts && typeof body['max_tokens'] !== 'number' ? invalid('max_tokens: Field required') : undefined,
  },
  {
    id: 'most-output',
    refuses: '`max_tokens` above what the model can write',
    source: 'https://github.com/anthropics/claude-code/issues/24451',
    check: ({ body: { max_tokens: asked }, model, profile: { maxOutput } }) =>
      maxOutput !== undefined && typeof asked === 'number' && asked > maxOutput
        ? invalid(
            `max_tokens: ${asked} > ${maxOutput}, which is the maximum allowed number of output tokens for ${model}`,
          )
        : undefined,
  },
  {
    id: 'user-id',
    refuses:
      '`metadata.user_id` of more than 256 characters; at DeepSeek, of others than letters, digits, `_` and `-`',
    source: 'https://github.com/vercel/ai/pull/12419',
    check: ({ body, profile }) => findBadUser(field(body['metadata'], 'user_id'), profile),
  },
  {
    id: 'stops',
    refuses: 'a stop sequence of blanks',
    source: 'https://github.com/BerriAI/litellm/issues/3286',
    check: ({ body }) =>
      list(body['stop_sequences']).some((stop) => typeof stop === 'string' && stop.trim() === '')
        ? invalid('stop_sequences: each stop sequence must contain non-whitespace')
        : undefined,
  },
  {
    id: 'image-types',
    refuses: 'an image whose data is no JPEG, PNG, GIF or WebP by their own names; `image/jpg` is none',
    source: 'https://github.com/BoundaryML/baml/issues/1292',
    check: ({ body }) =>
      findFirst(list(body['messages']), (message, at) =>
        findFirst(list(field(message, 'content')), (block, index) =>
          findBadImage(block, `messages.${at}.content.${index}`),
        ),
      ),
  },
  {
    id: 'cache-marks',
    refuses: 'more than four `cache_control`',
    source: 'https://github.com/tghamm/Anthropic.SDK/issues/50',
    check: ({ body }) => {
      const marks = countMarks([body['tools'], body['system'], body['messages']]);
      return marks > 4
        ? invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
        : undefined;
    },
  },
];

const TOOLS: readonly AnthropicRule[] = [
  {
    id: 'tool-names',
    refuses: 'a tool whose name has more than 128 characters or others than letters, digits, `_` and `-`',
    source: 'https://github.com/anthropics/claude-code/issues/96152',
    check: ({ body }) =>
      findFirst(list(body['tools']), (tool, at) => {
        const name = field(tool, 'name');
        if (typeof name !== 'string' || TOOL_NAME.test(name)) return undefined;
        return invalid(
          name.length > 128
            ? `tools.${at}.custom.name: String should have at most 128 characters`
            : `tools.${at}.custom.name: String should match pattern '${TOOL_NAME.source}'`,
        );
      }),
  },
  {
    id: 'tool-twice',
    refuses: 'two tools of one name',
    source: 'https://github.com/danny-avila/LibreChat/issues/13162',
    check: ({ body }) => {
      const names = list(body['tools']).flatMap((tool) => field(tool, 'name') ?? []);
      return new Set(names).size < names.length ? invalid('tools: Tool names must be unique.') : undefined;
    },
  },
  {
    id: 'tool-schema',
    refuses:
      'a tool whose `input_schema` is not one of an object, or has `oneOf`, `allOf` or `anyOf` at its root',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview',
    check: ({ body }) =>
      findFirst(list(body['tools']), (tool, at) => {
        const type = field(tool, 'type') ?? 'custom';
        const schema = field(tool, 'input_schema');
        const place = `tools.${at}.custom.input_schema`;
        if (type !== 'custom') return undefined;
        if (!isObject(schema)) return invalid(`${place}: Field required`);
        if (schema['type'] === undefined) return invalid(`${place}.type: Field required`);
        if (schema['type'] !== 'object') return invalid(`${place}.type: Input should be 'object'`);
        return ['oneOf', 'allOf', 'anyOf'].some((keyword) => schema[keyword] !== undefined)
          ? invalid(`${place}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
          : undefined;
      }),
  },
  {
    id: 'choice-without-tools',
    refuses: '`tool_choice` that wants a tool where there are none',
    source: 'https://github.com/diegosouzapw/OmniRoute/pull/397',
    check: ({ body }) => {
      if (list(body['tools']).length > 0) return undefined;
      const type = field(body['tool_choice'], 'type');
      if (type === 'any') return invalid('tool_choice.any may only be specified while providing tools');
      return type === 'tool' ? unknownTool(body) : undefined;
    },
  },
  {
    id: 'choice-unknown',
    refuses: '`tool_choice` of a tool that is not among the tools',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use',
    check: ({ body }) => {
      const { tools, tool_choice: choice } = body;
      const isKnown = list(tools).some((tool) => field(tool, 'name') === field(choice, 'name'));
      return field(choice, 'type') === 'tool' && !isKnown ? unknownTool(body) : undefined;
    },
  },
  {
    id: 'schema-keywords',
    refuses:
      'a schema of the answer or of a strict tool that is not closed, or has bounds of numbers, texts or lists',
    source: 'https://github.com/laravel/ai/issues/715',
    check: ({ body }) => {
      const asked = field(field(body['output_config'], 'format'), 'schema');
      const found = findUnsupported(asked);
      if (found) return invalid(`output_config.format.schema: ${found}`);
      return findFirst(list(body['tools']), (tool, at) => {
        const bad = field(tool, 'strict') === true ? findUnsupported(field(tool, 'input_schema')) : undefined;
        return bad === undefined ? undefined : invalid(`tools.${at}.custom.input_schema: ${bad}`);
      });
    },
  },
];

const unknownTool = ({ tool_choice: choice }: Json): Refusal =>
  invalid(`Tool '${String(field(choice, 'name'))}' not found in provided tools`);

/** What does not fit, without the members of a beta that the request names. */
function findings({ body, counts, header }: RuledRequest<AnthropicProfile>): readonly Finding[] {
  const betas = header('anthropic-beta') ?? '';
  return findUnknown(counts ? COUNT_SHAPE : MESSAGES_SHAPE, body).filter(
    ({ path, member }) => betas === '' || !BETA_MEMBERS.includes(placeOf(path, member)),
  );
}

/** A member's place without its index. */
const placeOf = (path: readonly Step[], member: string): string =>
  dottedPath([...path.filter((step) => typeof step !== 'number'), member]);

/** The vendor's own tools have a version in their type, and new ones come often. */
const isVendorsTool = ({ path }: Finding): boolean => path[0] === 'tools' && path.length === 2;

function findBadUser(user: unknown, { vendor }: AnthropicProfile): Refusal | undefined {
  if (typeof user !== 'string') return undefined;
  if (vendor === 'deepseek' && !/^[a-zA-Z0-9_-]+$/.test(user)) {
    const message =
      "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    const code = 'invalid_request_error';
    return { status: 400, message, body: { error: { message, type: code, param: null, code } } };
  }
  return user.length > 256
    ? invalid('metadata.user_id: String should have at most 256 characters')
    : undefined;
}

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Also within the result of a tool. */
function findBadImage(block: unknown, place: string): Refusal | undefined {
  const source = field(block, 'source');
  if (field(block, 'type') !== 'image' || field(source, 'type') !== 'base64') {
    return findFirst(list(field(block, 'content')), (inner, index) =>
      findBadImage(inner, `${place}.${String(field(block, 'type'))}.content.${index}`),
    );
  }
  return IMAGES.includes(String(field(source, 'media_type')))
    ? undefined
    : invalid(
        `${place}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
      );
}

const countMarks = (value: unknown): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countMarks(each), 0);
  if (!isObject(value)) return 0;
  const own = isObject(value['cache_control']) ? 1 : 0;
  return own + countMarks(blocksWithin(value));
};

const blocksWithin = ({ content }: Json): unknown => (Array.isArray(content) ? content : undefined);

export const MESSAGES_RULES: RuleBook<AnthropicProfile> = {
  rules: [...MEMBERS, ...TOOLS, ...THINKING_RULES, ...TURN_RULES],
  profiles: ANTHROPIC_PROFILES,
  unknown: UNKNOWN_ANTHROPIC,
};
