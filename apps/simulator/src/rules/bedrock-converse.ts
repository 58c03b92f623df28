import { field, isObject, type Json, list } from '../question.ts';
import { findFirst, type Refusal, type Rule, type RuleBook } from './rule.ts';

const API = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';

/** What the models of one vendor take in `additionalModelRequestFields`. */
export interface ConverseProfile {
  readonly fields: ReadonlySet<string>;
  readonly schemas: boolean;
  readonly efforts: boolean;
}
type ConverseRule = Rule<ConverseProfile>;

const invalid = (message: string): Refusal => ({ status: 400, message });
const malformed = (what: string): Refusal =>
  invalid(`Malformed input request: ${what}, please reformat your input and try again.`);

const MEMBERS = new Set([
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
  'promptVariables',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
]);
const FORMATS: Readonly<Record<string, RegExp>> = {
  image: /^(?:png|jpeg|gif|webp)$/,
  document: /^(?:pdf|csv|doc|docx|xls|xlsx|html|txt|md)$/,
  audio: /^(?:mp3|opus|wav|aac|flac|mp4|ogg|mkv|mka|x-aac|m4a|mpeg|mpga|pcm|webm)$/,
  video: /^(?:mkv|mov|mp4|webm|flv|mpeg|mpg|wmv|three_gp)$/,
};

const messagesOf = (body: Json) => list(body['messages']);
const contentOf = (message: unknown) => list(field(message, 'content'));
const toolUses = (message: unknown) => contentOf(message).flatMap((block) => field(block, 'toolUse') ?? []);
const toolResults = (message: unknown) =>
  contentOf(message).flatMap((block) => field(block, 'toolResult') ?? []);
const id = (of: unknown) => String(field(of, 'toolUseId'));

interface Placed {
  readonly block: unknown;
  readonly at: string;
}

/** Every block of the conversation, and of the results in it. */
const blocksOf = (body: Json): Placed[] =>
  messagesOf(body).flatMap((message, index) =>
    contentOf(message).flatMap((block, inner) => {
      const at = `messages.${index}.content.${inner}`;
      const within = list(field(field(block, 'toolResult'), 'content'));
      return [
        { block, at },
        ...within.map((each, last) => ({ block: each, at: `${at}.toolResult.content.${last}` })),
      ];
    }),
  );

const SHAPE: readonly ConverseRule[] = [
  {
    id: 'extraneous-key',
    refuses: 'a member of a request that Converse does not know',
    source: API,
    check: ({ body }) =>
      findFirst(Object.keys(body), (key) =>
        MEMBERS.has(key) ? undefined : malformed(`extraneous key [${key}] is not permitted`),
      ),
  },
  {
    id: 'inference-config',
    refuses: 'a temperature or `topP` outside 0 to 1, `maxTokens` below 1, and blank stop sequences',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html',
    check({ body }) {
      const config = body['inferenceConfig'];
      const isShare = (value: unknown) =>
        value === undefined || (typeof value === 'number' && value >= 0 && value <= 1);
      const max = field(config, 'maxTokens');
      if (max !== undefined && !(Number.isInteger(max) && Number(max) >= 1))
        return invalid(
          "Value at 'inferenceConfig.maxTokens' failed to satisfy constraint: Member must have value greater than or equal to 1",
        );
      for (const name of ['temperature', 'topP'])
        if (!isShare(field(config, name)))
          return invalid(
            `Value at 'inferenceConfig.${name}' failed to satisfy constraint: Member must have value less than or equal to 1`,
          );
      return list(field(config, 'stopSequences')).some((text) => String(text).trim() === '')
        ? invalid('stop_sequences: each stop sequence must contain non-whitespace')
        : undefined;
    },
  },
  {
    id: 'additional-fields',
    refuses: 'a field of `additionalModelRequestFields` that the vendor of the model does not know',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html',
    check: ({ body, profile: { fields } }) =>
      findFirst(Object.keys(body['additionalModelRequestFields'] ?? {}), (key) =>
        fields.has(key) ? undefined : malformed(`extraneous key [${key}] is not permitted`),
      ),
  },
  {
    id: 'output-config',
    refuses: 'a schema of the answer, or an effort, of a model that has none',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_OutputConfig.html',
    check({ body: { outputConfig }, profile }) {
      const format = field(outputConfig, 'textFormat');
      if (format !== undefined && !profile.schemas)
        return invalid("This model doesn't support the outputConfig.textFormat field.");
      if (field(outputConfig, 'effort') !== undefined && !profile.efforts)
        return invalid("This model doesn't support the outputConfig.effort field.");
      const schema = field(field(field(format, 'structure'), 'jsonSchema'), 'schema');
      return format !== undefined && typeof schema !== 'string'
        ? invalid('outputConfig.textFormat.structure.jsonSchema.schema must be a string')
        : undefined;
    },
  },
  {
    id: 'thinking-budget',
    refuses: 'a budget for thinking below 1,024 or not below `maxTokens`, and a temperature beside it',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html',
    check({ body }) {
      const thinking = field(body['additionalModelRequestFields'], 'thinking');
      if (field(thinking, 'type') !== 'enabled') return undefined;
      const budget = Number(field(thinking, 'budget_tokens'));
      const config = body['inferenceConfig'];
      if (!(budget >= 1_024))
        return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
      if (!(Number(field(config, 'maxTokens')) > budget))
        return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
      const temperature = field(config, 'temperature');
      return temperature !== undefined && temperature !== 1
        ? invalid('`temperature` may only be set to 1 when thinking is enabled.')
        : undefined;
    },
  },
];

const TURNS: readonly ConverseRule[] = [
  {
    id: 'roles',
    refuses:
      'a conversation without a turn, that the user does not begin, or in which the sides do not take turns',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html',
    check({ body }) {
      const roles = messagesOf(body).map((message) => field(message, 'role'));
      if (roles.length === 0) return invalid('The messages field is required.');
      if (roles[0] !== 'user')
        return invalid(
          'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
        );
      return findFirst(roles, (role, index) => {
        if (role !== 'user' && role !== 'assistant')
          return invalid(
            `Value '${String(role)}' at 'messages.${index + 1}.member.role' failed to satisfy constraint`,
          );
        return index > 0 && roles[index - 1] === role
          ? invalid(
              'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
            )
          : undefined;
      });
    },
  },
  {
    id: 'empty',
    refuses: 'a turn without blocks, and a blank text',
    source: 'https://github.com/langchain-ai/langchain-aws/issues/205',
    check({ body }) {
      const empty = messagesOf(body).findIndex((message) => contentOf(message).length === 0);
      if (empty >= 0)
        return invalid(
          `The content field in the Message object at messages.${empty} is empty. Add a ContentBlock object to the content field and try again.`,
        );
      const system = list(body['system']).map((block, index) => ({ block, at: `system.${index}` }));
      return findFirst([...system, ...blocksOf(body)], ({ block, at }) => {
        const text = field(block, 'text');
        return typeof text === 'string' && text.trim() === ''
          ? invalid(
              `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`,
            )
          : undefined;
      });
    },
  },
  {
    id: 'media',
    refuses: 'a picture, a document, sound or a video of a format that is not taken, or without its data',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html',
    check: ({ body }) =>
      findFirst(blocksOf(body), ({ block, at }) =>
        findFirst(Object.entries(FORMATS), ([kind, formats]) => {
          const media = field(block, kind);
          if (media === undefined) return undefined;
          if (!formats.test(String(field(media, 'format'))))
            return invalid(
              `Value '${String(field(media, 'format'))}' at '${at}.${kind}.format' failed to satisfy constraint`,
            );
          const { bytes, s3Location } = (field(media, 'source') ?? {}) as Json;
          return bytes === undefined && s3Location === undefined
            ? invalid(`${at}.${kind}.source must have exactly one member`)
            : undefined;
        }),
      ),
  },
  {
    id: 'document-names',
    refuses:
      'a document whose name is another one’s, or holds other characters than letters, digits, single blanks and -()[], and one without words',
    source: 'https://github.com/maximhq/bifrost/issues/7003',
    check({ body }) {
      const documents = blocksOf(body).flatMap(({ block }) => field(block, 'document') ?? []);
      const names = documents.map((document) => String(field(document, 'name')));
      if (!names.every((name) => /^(?:[A-Za-z0-9()[\]-]+ ?)+$/.test(name) && name.length <= 200))
        return invalid(
          "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
        );
      if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
        return invalid(
          "Messages can't contain duplicate document names. Rename the document and retry your request.",
        );
      const wordless = messagesOf(body).some((message) => {
        const has = (key: string) => contentOf(message).some((block) => field(block, key) !== undefined);
        return has('document') && !has('text');
      });
      return wordless ? invalid('A text block is required when a document is included.') : undefined;
    },
  },
];

const TOOLS: readonly ConverseRule[] = [
  {
    id: 'tool-config',
    refuses: 'calls and results of tools in a conversation where no tools are offered',
    source: 'https://github.com/BerriAI/litellm/issues/5388',
    check({ body }) {
      const uses = messagesOf(body).some((each) => toolUses(each).length + toolResults(each).length > 0);
      return uses && list(field(body['toolConfig'], 'tools')).length === 0
        ? invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.')
        : undefined;
    },
  },
  {
    id: 'tool-specs',
    refuses:
      'a tool without a name of 1 to 64 letters, digits, "_" and "-", with an empty description, or without a schema of an object; a list without one; a choice of a tool that is not there',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html',
    check({ body: { toolConfig } }) {
      if (toolConfig === undefined) return undefined;
      const specs = list(field(toolConfig, 'tools')).flatMap((tool) => field(tool, 'toolSpec') ?? []);
      if (specs.length === 0)
        return invalid(
          "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
        );
      const chosen = field(field(field(toolConfig, 'toolChoice'), 'tool'), 'name');
      if (chosen !== undefined && !specs.some((spec) => field(spec, 'name') === chosen))
        return invalid(`The tool ${String(chosen)} of toolChoice is none of toolConfig.tools.`);
      return findFirst(specs, (spec, index) => {
        const at = `toolConfig.tools.${index}.member.toolSpec`;
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(String(field(spec, 'name'))))
          return invalid(
            `Value '${String(field(spec, 'name'))}' at '${at}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
          );
        if (field(spec, 'description') === '')
          return invalid(
            `Value '' at '${at}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
          );
        return field(field(field(spec, 'inputSchema'), 'json'), 'type') === 'object'
          ? undefined
          : invalid(`The value at ${at}.inputSchema.json.type must be one of the following: object.`);
      });
    },
  },
  {
    id: 'tool-results',
    refuses:
      'calls whose results do not all stand in the next turn, results of calls that were not made, and ids that are not 1 to 64 letters, digits and "_.:-"',
    source: 'https://github.com/langchain-ai/langchain-aws/issues/251',
    check: ({ body }) => {
      const messages = messagesOf(body);
      return findFirst(messages, (message, index) => {
        const made = new Set(toolUses(messages[index - 1]).map(id));
        const answered = toolResults(message).map(id);
        const missing = [...made].filter((each) => !answered.includes(each));
        if (missing.length > 0)
          return invalid(
            `Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(', ')}`,
          );
        const stray = answered.filter((each) => !made.has(each));
        if (stray.length > 0)
          return invalid(
            `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
          );
        if (index === messages.length - 1 && toolUses(message).length > 0)
          return invalid(
            `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${toolUses(message).map(id).join(', ')}`,
          );
        return findFirst([...toolUses(message).map(id), ...answered], (each) =>
          /^[A-Za-z0-9_.:-]{1,64}$/.test(each)
            ? undefined
            : invalid(`Value '${each}' at 'toolUseId' failed to satisfy constraint`),
        );
      });
    },
  },
  {
    id: 'cache-points',
    refuses: 'more than four marks for the cache, and one that nothing stands before',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
    check({ body }) {
      const lists = [
        list(body['system']),
        list(field(body['toolConfig'], 'tools')),
        ...messagesOf(body).map(contentOf),
      ];
      const isPoint = (block: unknown) => isObject(field(block, 'cachePoint'));
      if (lists.some(([first]) => isPoint(first))) return invalid('A cachePoint cannot be the first block.');
      return lists.flat().filter(isPoint).length > 4
        ? invalid('A maximum of 4 blocks with cache_control may be provided.')
        : undefined;
    },
  },
];

export const CONVERSE_PROFILES: RuleBook<ConverseProfile>['profiles'] = [
  {
    models: /anthropic|claude/,
    source:
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
    takes: {
      fields: new Set(['thinking', 'top_k', 'anthropic_beta', 'output_config']),
      schemas: true,
      efforts: true,
    },
  },
  {
    models: /nova/,
    source: 'https://docs.aws.amazon.com/nova/latest/userguide/using-converse-api.html',
    takes: { fields: new Set(['inferenceConfig', 'reasoningConfig']), schemas: false, efforts: false },
  },
  {
    models: /gpt-oss/,
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html',
    takes: { fields: new Set(['reasoning_effort']), schemas: false, efforts: false },
  },
];

export const CONVERSE_RULES: RuleBook<ConverseProfile> = {
  rules: [...SHAPE, ...TURNS, ...TOOLS],
  profiles: CONVERSE_PROFILES,
  unknown: { fields: new Set(), schemas: false, efforts: false },
};
