import { field, type Json, list } from '../question.ts';
import { findFirst, type RuleBook } from './rule.ts';
import {
  API,
  CACHING,
  type ConverseProfile,
  type ConverseRule,
  invalid,
  malformed,
  listMessages,
  listContent,
  listBlocks,
} from './bedrock-converse-parts.ts';
import { CLAUDE_RULE } from './bedrock-converse-claude.ts';
import { CONVERSE_TOOLS } from './bedrock-converse-tools.ts';

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

const MIB = 1_048_576;
const LIMITS = [
  { kind: 'image', max: 20, maxBytes: 3.75 * MIB },
  { kind: 'document', max: 5, maxBytes: 4.5 * MIB },
] as const;

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
    id: 'served-as',
    refuses: 'a service tier, or a latency, that it does not know',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html',
    check({ body: { serviceTier, performanceConfig } }) {
      const type = field(serviceTier, 'type');
      if (serviceTier !== undefined && !/^(?:priority|default|flex|reserved)$/.test(String(type)))
        return invalid(`Value '${String(type)}' at 'serviceTier.type' failed to satisfy constraint`);
      const latency = field(performanceConfig, 'latency');
      return performanceConfig !== undefined && !/^(?:standard|optimized)$/.test(String(latency))
        ? invalid(`Value '${String(latency)}' at 'performanceConfig.latency' failed to satisfy constraint`)
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
      const roles = listMessages(body).map((message) => field(message, 'role'));
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
      const empty = listMessages(body).findIndex((message) => listContent(message).length === 0);
      if (empty >= 0)
        return invalid(
          `The content field in the Message object at messages.${empty} is empty. Add a ContentBlock object to the content field and try again.`,
        );
      const system = list(body['system']).map((block, index) => ({ block, at: `system.${index}` }));
      return findFirst([...system, ...listBlocks(body)], ({ block, at }) => {
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
      findFirst(listBlocks(body), ({ block, at }) =>
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
    id: 'media-limits',
    refuses:
      'more than 20 pictures or five documents in one message, a picture of more than 3.75 MB, and a document of more than 4.5 MB',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html',
    check: ({ body }) =>
      findFirst(listMessages(body), (message) =>
        findFirst(LIMITS, ({ kind, max, maxBytes }) => {
          const sent = listContent(message).flatMap((block) => field(block, kind) ?? []);
          if (sent.length > max) return invalid(`too many ${kind}s: ${sent.length} > ${max}`);
          const isLarge = sent.some(
            (each) => (String(field(field(each, 'source'), 'bytes') ?? '').length * 3) / 4 > maxBytes,
          );
          return isLarge ? invalid(`${kind} exceeds the maximum size of ${maxBytes} bytes`) : undefined;
        }),
      ),
  },
  {
    id: 'document-names',
    refuses:
      'a document whose name is another one’s, or holds other characters than letters, digits, single blanks and -()[], and one without words',
    source: 'https://github.com/maximhq/bifrost/issues/7003',
    check({ body }) {
      const documents = listBlocks(body).flatMap(({ block }) => field(block, 'document') ?? []);
      const names = documents.map((document) => String(field(document, 'name')));
      if (!names.every((name) => /^(?:[A-Za-z0-9()[\]-]+ ?)+$/.test(name) && name.length <= 200))
        return invalid(
          "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
        );
      if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
        return invalid(
          "Messages can't contain duplicate document names. Rename the document and retry your request.",
        );
      const wordless = listMessages(body).some((message) => {
        const has = (key: string) => listContent(message).some((block) => field(block, key) !== undefined);
        return has('document') && !has('text');
      });
      return wordless ? invalid('A text block is required when a document is included.') : undefined;
    },
  },
];

export const CONVERSE_PROFILES: RuleBook<ConverseProfile>['profiles'] = [
  {
    models: /claude-(?:v2|instant|3-(?:opus|sonnet|haiku)|3-5-sonnet-20240620)/,
    source: CACHING,
    takes: {
      fields: new Set(['thinking', 'top_k', 'anthropic_beta', 'output_config']),
      schemas: true,
      efforts: true,
      caches: 'never',
    },
  },
  {
    models: /anthropic|claude/,
    source:
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
    takes: {
      fields: new Set(['thinking', 'top_k', 'anthropic_beta', 'output_config']),
      schemas: true,
      efforts: true,
      caches: 'anywhere',
    },
  },
  {
    models: /nova/,
    source: 'https://docs.aws.amazon.com/nova/latest/userguide/using-converse-api.html',
    takes: {
      fields: new Set(['inferenceConfig', 'reasoningConfig']),
      schemas: false,
      efforts: false,
      caches: 'but_tools',
    },
  },
  {
    models: /gpt-oss/,
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html',
    takes: { fields: new Set(['reasoning_effort']), schemas: false, efforts: false, caches: 'never' },
  },
];

export const CONVERSE_RULES: RuleBook<ConverseProfile> = {
  rules: [...SHAPE, ...TURNS, CLAUDE_RULE, ...CONVERSE_TOOLS],
  profiles: CONVERSE_PROFILES,
  unknown: { fields: new Set(), schemas: false, efforts: false, caches: 'never' },
};
