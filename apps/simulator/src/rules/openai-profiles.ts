import type { ModelProfile } from './rule.ts';

/** What a model behind OpenAI's formats takes. */
export interface OpenAIProfile {
  /** Whose checks are made: many speak the format, and most of them ignore what they do not know. */
  readonly vendor: 'openai' | 'mistral' | 'deepseek' | 'moonshot' | 'other';
  /** Efforts that may be asked for; undefined is any, and none at all means that the model does not reason. */
  readonly efforts?: readonly string[];
  /** Those that may be asked for beside function tools in Chat, where they are others; undefined is that none is asked for. */
  readonly effortsWithTools?: readonly (string | undefined)[];
  /** Sampling, stop sequences and penalties: always, only without reasoning, or never. */
  readonly sampling: 'always' | 'without-effort' | 'never';
  /** Chat's old name of the limit. */
  readonly maxTokens: boolean;
  /** Whether Chat knows `parallel_tool_calls` of it; yes where it is left out. */
  readonly parallelCalls?: boolean;
  readonly maxOutput?: number;
}

const MODELS = 'https://platform.openai.com/docs/models';

const chat = (models: RegExp, maxOutput: number): ModelProfile<OpenAIProfile> => ({
  models,
  source: MODELS,
  takes: { vendor: 'openai', efforts: [], sampling: 'always', maxTokens: true, maxOutput },
});

const other = (
  models: RegExp,
  source: string,
  takes: Partial<OpenAIProfile>,
): ModelProfile<OpenAIProfile> => ({
  models,
  source,
  takes: { vendor: 'other', sampling: 'always', maxTokens: true, ...takes },
});

const NEWEST: OpenAIProfile = {
  vendor: 'openai',
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'without-effort',
  maxTokens: false,
  maxOutput: 128_000,
};

export const OPENAI_PROFILES: readonly ModelProfile<OpenAIProfile>[] = [
  other(
    /magistral|mistral-(small|medium)-(latest|26\d\d)|mistral-medium-3\.5/i,
    'https://github.com/UKGovernmentBEIS/inspect_ai/pull/4711',
    { vendor: 'mistral', efforts: ['none', 'high'] },
  ),
  other(
    /m(in)?istral|mixtral|codestral|devstral|magistral|pixtral|voxtral/i,
    'https://docs.mistral.ai/api/endpoint/chat',
    { vendor: 'mistral', efforts: [] },
  ),
  other(/deepseek/i, 'https://api-docs.deepseek.com/api/create-chat-completion', { vendor: 'deepseek' }),
  other(/-8k$/i, 'https://platform.moonshot.ai/docs/pricing/chat', { maxOutput: 8_192 }),
  other(/kimi-k(2\.[5-9]|2-thinking|[3-9])/i, 'https://github.com/QuantumNous/new-api/issues/3121', {
    vendor: 'moonshot',
  }),
  other(/grok-3-mini/i, 'https://docs.x.ai/docs/guides/reasoning', { efforts: ['low', 'high'] }),
  other(/grok-4\.3/i, 'https://github.com/enricoros/big-AGI/pull/1104', {
    efforts: ['none', 'low', 'medium', 'high'],
  }),
  other(/grok-(4\.[5-9]|[5-9])/i, 'https://github.com/anomalyco/models.dev/tree/dev/providers/xai/models', {
    efforts: ['low', 'medium', 'high'],
  }),
  other(/grok/i, 'https://github.com/BerriAI/litellm/issues/16265', { efforts: [] }),
  other(/llama/i, 'https://github.com/diegosouzapw/OmniRoute/issues/3277', { efforts: [] }),
  other(
    /qwen|kimi|moonshot|glm-|gemma|minimax/i,
    'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
    {},
  ),
  chat(/gpt-[\w.]+-chat-latest/, 16_384),
  chat(/gpt-4\.1/, 32_768),
  chat(/gpt-4o/, 16_384),
  chat(/gpt-4-turbo|gpt-3\.5/, 4_096),
  chat(/gpt-4(?![.\w])/, 8_192),
  {
    models: /gpt-5\.\d.*-(codex|pro)/,
    source: 'https://github.com/langchain-ai/langchain/issues/35424',
    takes: { vendor: 'openai', sampling: 'never', maxTokens: false, maxOutput: 128_000 },
  },
  {
    models: /gpt-5\.1/,
    source: 'https://platform.openai.com/docs/guides/latest-model',
    takes: {
      vendor: 'openai',
      efforts: ['none', 'low', 'medium', 'high'],
      sampling: 'without-effort',
      maxTokens: false,
      maxOutput: 128_000,
    },
  },
  {
    models: /gpt-5\.4/,
    source: 'https://github.com/BerriAI/litellm/issues/34569',
    takes: { ...NEWEST, effortsWithTools: [undefined, 'none'] },
  },
  {
    models: /gpt-5\.[5-9]/,
    source: 'https://github.com/pipecat-ai/pipecat/issues/4043',
    takes: { ...NEWEST, effortsWithTools: ['none'] },
  },
  {
    models: /gpt-5\.\d/,
    source: 'https://github.com/The-PR-Agent/pr-agent/issues/3237',
    takes: NEWEST,
  },
  {
    models: /gpt-[6-9]/,
    source: 'https://platform.openai.com/docs/guides/latest-model',
    takes: { vendor: 'openai', sampling: 'without-effort', maxTokens: false, maxOutput: 128_000 },
  },
  {
    models: /gpt-5/,
    source: 'https://platform.openai.com/docs/models/gpt-5',
    takes: {
      vendor: 'openai',
      efforts: ['minimal', 'low', 'medium', 'high'],
      sampling: 'never',
      maxTokens: false,
      maxOutput: 128_000,
    },
  },
  {
    models: /(^|\/)o[134](-|$)/,
    source: 'https://platform.openai.com/docs/models/o3',
    takes: {
      vendor: 'openai',
      efforts: ['low', 'medium', 'high'],
      sampling: 'never',
      maxTokens: false,
      parallelCalls: false,
      maxOutput: 100_000,
    },
  },
];

export const UNKNOWN_OPENAI: OpenAIProfile = { vendor: 'openai', sampling: 'always', maxTokens: true };

export const reasons = ({ efforts }: OpenAIProfile): boolean => efforts === undefined || efforts.length > 0;
/** The checks of OpenAI itself. */
export const isOpenAI = ({ vendor }: OpenAIProfile): boolean => vendor === 'openai';
