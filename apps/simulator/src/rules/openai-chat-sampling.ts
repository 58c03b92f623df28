import { isOpenAI, type OpenAIProfile, reasons } from './openai-profiles.ts';
import { enumerate, findBelow, openaiRefusal, unsupportedParameter } from './openai-refusals.ts';
import { findFirst, type Refusal, type Rule } from './rule.ts';
import { type Json, list } from '../question.ts';

const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

/** What a model that reasons takes no more, beside the temperature, which may stand at its default. */
const ONLY_WITHOUT_REASONING = [
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
] as const;

/** The limit of the answer, sampling and effort. */
export const SAMPLING_RULES: readonly Rule<OpenAIProfile>[] = [
  {
    id: 'both-limits',
    refuses: '`max_tokens` together with `max_completion_tokens`',
    source: 'https://github.com/langchain-ai/langgraph/issues/5943',
    check: ({ body, profile }) =>
      isOpenAI(profile) && LIMITS.every((name) => (body[name] ?? null) !== null)
        ? openaiRefusal(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
            'max_tokens',
            'invalid_parameter_combination',
          )
        : undefined,
  },
  {
    id: 'max-tokens-name',
    refuses: '`max_tokens` on a model that reasons',
    source: 'https://github.com/decolua/9router/issues/560',
    check: ({ body, profile }) =>
      !profile.maxTokens && (body['max_tokens'] ?? null) !== null
        ? unsupportedParameter('max_tokens', " Use 'max_completion_tokens' instead.")
        : undefined,
  },
  {
    id: 'least-output',
    refuses: 'a limit of no tokens',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body, profile }) =>
      isOpenAI(profile) ? findFirst(LIMITS, (name) => findBelow(name, body[name], 1)) : undefined,
  },
  {
    id: 'most-output',
    refuses: 'a limit of more tokens than the model can write',
    source: 'https://github.com/ChatGPTNextWeb/NextChat/issues/3195',
    check: ({ body, profile: { maxOutput } }) =>
      findFirst(LIMITS, (name) => {
        const asked = body[name];
        if (maxOutput === undefined || typeof asked !== 'number' || asked <= maxOutput) return undefined;
        return openaiRefusal(
          `${name} is too large: ${asked}. This model supports at most ${maxOutput} completion tokens, whereas you provided ${asked}.`,
          name,
          'invalid_value',
        );
      }),
  },
  {
    id: 'effort',
    refuses: '`reasoning_effort` on a model that does not reason, or a level that the model does not have',
    source: 'https://github.com/davidmigloz/langchain_dart/issues/712',
    check: ({ body, profile }) => {
      const effort = body['reasoning_effort'];
      if (typeof effort !== 'string' || !isOpenAI(profile)) return undefined;
      if (!reasons(profile)) {
        return openaiRefusal('Unrecognized request argument supplied: reasoning_effort');
      }
      const { efforts } = profile;
      return efforts === undefined || efforts.includes(effort)
        ? undefined
        : unsupportedEffort('reasoning_effort', effort, efforts);
    },
  },
  {
    id: 'effort-with-tools',
    refuses:
      'functions while GPT-5.4 or a later one reasons: with an effort, and from GPT-5.5 on with none stated either',
    source: 'https://github.com/BerriAI/litellm/issues/34569',
    check: ({ body, model, profile: { effortsWithTools } }) => {
      const effort = body['reasoning_effort'] ?? undefined;
      if (list(body['tools']).length === 0 || effortsWithTools?.some((each) => each === effort) !== false) {
        return undefined;
      }
      return openaiRefusal(
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        'reasoning_effort',
      );
    },
  },
  {
    id: 'effort-of-others',
    refuses:
      'Mistral, xAI and Groq: `reasoning_effort` on a model that does not take it, or a level that the model does not have',
    source: 'https://github.com/NousResearch/hermes-agent/issues/11243',
    check: ({ body, profile: { vendor, efforts } }) => {
      const effort = body['reasoning_effort'];
      if (vendor === 'openai' || typeof effort !== 'string' || efforts?.includes(effort) !== false) {
        return undefined;
      }
      return openaiRefusal(
        efforts.length === 0
          ? '`reasoning_effort` is not supported with this model'
          : `reasoning_effort='${effort}' is not supported for this model.`,
      );
    },
  },
  {
    id: 'parallel-calls',
    refuses: '`parallel_tool_calls` on o1, o3 and o4-mini',
    source: 'https://github.com/evalstate/fast-agent/issues/279',
    check: ({ body, profile }) =>
      profile.parallelCalls === false && (body['parallel_tool_calls'] ?? null) !== null
        ? unsupportedParameter('parallel_tool_calls')
        : undefined,
  },
  {
    id: 'sampling',
    refuses: 'a temperature other than 1, `top_p`, penalties or log probabilities on a model that reasons',
    source: 'https://platform.openai.com/docs/guides/latest-model',
    check: ({ body, profile }) => {
      const effort = body['reasoning_effort'] ?? undefined;
      return samplesFreely(profile, effort) ? undefined : findSampling(body);
    },
  },
  {
    id: 'stop-on-reasoning',
    refuses: '`stop` on GPT-5, o3 and o4-mini',
    source: 'https://github.com/FlowiseAI/Flowise/issues/5046',
    check: ({ body, profile }) =>
      profile.sampling === 'never' && (body['stop'] ?? null) !== null
        ? unsupportedParameter('stop')
        : undefined,
  },
  {
    id: 'stops',
    refuses: 'more than four stop sequences',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body, profile }) => {
      const { stop } = body;
      if (!isOpenAI(profile) || !Array.isArray(stop) || stop.length <= 4) return undefined;
      return openaiRefusal(
        `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`,
        'stop',
        'array_above_max_length',
      );
    },
  },
];

export const unsupportedEffort = (param: string, effort: string, efforts: readonly string[]): Refusal =>
  openaiRefusal(
    `Unsupported value: '${param}' does not support '${effort}' with this model. Supported values are: ${enumerate(efforts)}.`,
    param,
    'unsupported_value',
  );

/** Whether sampling may be asked for; a model that may reason is only known to when an effort is stated. */
export const samplesFreely = ({ sampling }: OpenAIProfile, effort: unknown): boolean =>
  sampling === 'always' || (sampling === 'without-effort' && (effort === undefined || effort === 'none'));

function findSampling(body: Json): Refusal | undefined {
  const { temperature } = body;
  if (typeof temperature === 'number' && temperature !== 1) {
    return openaiRefusal(
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      'temperature',
      'unsupported_value',
    );
  }
  return findFirst(ONLY_WITHOUT_REASONING, (name) =>
    (body[name] ?? null) === null || isDefault(name, body[name]) ? undefined : unsupportedParameter(name),
  );
}

/** Defaults pass where they are stated. */
const isDefault = (name: string, value: unknown): boolean =>
  (name === 'top_p' && value === 1) || (name.endsWith('_penalty') && value === 0) || value === false;
