import { messagesDialects } from '../anthropic-messages/dialects.ts';
import type { DialectRule, FormatDialects } from '../dialects/dialect.ts';

/** Of these models alone AWS says that they take marks for an hour; others refuse the whole request. */
export const CACHES_FOR_HOURS = {
  models: /claude-(?:opus|sonnet|haiku)-4-5/,
  source: 'Amazon Bedrock user guide, Prompt caching; archestra-ai/archestra#5696, earendil-works/pi#1570',
} as const;

/** Claude takes here what it takes of its own vendor's format. */
const CLAUDE: readonly DialectRule[] = messagesDialects.rules.filter(({ models }) =>
  models.source.includes('claude'),
);

export const converseDialects: FormatDialects = {
  fields: { user: [], sampling: [], limits: [], reasoning: [] },
  usual: {
    ...messagesDialects.usual,
    // What nobody here knows how to ask for.
    reasoning: 'none',
    efforts: ['low', 'medium', 'high'],
    structured_output: false,
    closed_schemas: false,
    call_id_max: 64,
  },
  source: 'Amazon Bedrock API reference, Converse',
  rules: [
    {
      models: /claude/,
      says: {
        reasoning: 'any',
        efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
        structured_output: true,
        closed_schemas: true,
      },
      source: 'Amazon Bedrock API reference, OutputConfig',
    },
    ...CLAUDE,
    {
      // A mark is refused with the status of a wrong credential.
      models: /claude-(?:v2|2|instant|3-(?:opus|sonnet|haiku)|3-5-sonnet-20240620)/,
      says: { cache_marks: 'none' },
      source: 'Amazon Bedrock user guide, Prompt caching; pensarai/apex#943',
    },
    {
      models: /nova-2/,
      // With more effort it takes no limit of output tokens, and an answer without one has no price that can be held.
      says: { reasoning: 'effort', efforts: ['low', 'medium'], reasoning_off: true },
      source: 'Amazon Nova 2 user guide, Using the Converse API',
    },
    {
      models: /gpt-oss/,
      says: { reasoning: 'effort', reasoning_off: false, reasons_unasked: true },
      source: 'Amazon Bedrock user guide, OpenAI models',
    },
  ],
};
