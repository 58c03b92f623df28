import { field } from '../question.ts';
import type { AnthropicProfile } from './anthropic-profiles.ts';
import { findFirst, type Refusal, type Rule } from './rule.ts';

const invalid = (message: string): Refusal => ({ status: 400, message });
const EXTENDED = 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking';
const CONSULT =
  'Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking';

/** Thinking, effort and sampling. */
export const THINKING_RULES: readonly Rule<AnthropicProfile>[] = [
  {
    id: 'thinking-kind',
    refuses: '`thinking: enabled` on models that only think adaptively, and `adaptive` on those that cannot',
    source: 'https://github.com/earendil-works/pi/issues/3297',
    check: ({ body, profile }) => {
      const kind = field(body['thinking'], 'type');
      if ((kind !== 'enabled' && kind !== 'adaptive') || profile.thinking.includes(kind)) return undefined;
      return invalid(
        kind === 'enabled'
          ? '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
          : 'adaptive thinking is not supported on this model',
      );
    },
  },
  {
    id: 'thinking-budget',
    refuses: 'a budget below 1,024 tokens, or not below `max_tokens` without interleaved thinking',
    source: EXTENDED,
    check: ({ body, header }) => {
      if (field(body['thinking'], 'type') !== 'enabled') return undefined;
      const budget = field(body['thinking'], 'budget_tokens');
      const place = 'thinking.enabled.budget_tokens';
      if (typeof budget !== 'number') return invalid(`${place}: Field required`);
      if (budget < 1_024) return invalid(`${place}: Input should be greater than or equal to 1024`);
      const max = body['max_tokens'];
      const interleaved = header('anthropic-beta')?.includes('interleaved-thinking') ?? false;
      return typeof max === 'number' && budget >= max && !interleaved
        ? invalid(`\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${CONSULT}`)
        : undefined;
    },
  },
  {
    id: 'effort',
    refuses: '`output_config.effort` on a model without it, or a level that the model does not have',
    source: 'https://github.com/BerriAI/litellm/pull/27223',
    check: ({ body, profile: { efforts } }) => {
      const effort = field(body['output_config'], 'effort');
      if (typeof effort !== 'string' || efforts.includes(effort)) return undefined;
      return invalid(
        efforts.length === 0
          ? 'This model does not support the effort parameter.'
          : `This model does not support effort level '${effort}'. Supported levels: ${[...efforts].sort().join(', ')}.`,
      );
    },
  },
  {
    id: 'sampling-none',
    refuses: 'a temperature other than 1, `top_p` below 0.99 or `top_k` from Opus 4.7 and Sonnet 5 on',
    source: 'https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721',
    check: ({ body, profile }) => {
      if (profile.sampling !== 'none') return undefined;
      const { temperature, top_p, top_k } = body;
      const refused: readonly (readonly [string, boolean])[] = [
        ['temperature', typeof temperature === 'number' && temperature !== 1],
        ['top_p', typeof top_p === 'number' && top_p < 0.99],
        ['top_k', typeof top_k === 'number'],
      ];
      return findFirst(refused, ([name, refuses]) =>
        refuses ? invalid(`\`${name}\` is deprecated for this model.`) : undefined,
      );
    },
  },
  {
    id: 'sampling-pair',
    refuses: '`temperature` together with `top_p` from Opus 4.1 on',
    source: 'https://github.com/open-webui/pipelines/pull/546',
    check: ({ body, profile }) =>
      profile.sampling === 'one' &&
      typeof body['temperature'] === 'number' &&
      typeof body['top_p'] === 'number'
        ? invalid('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
        : undefined,
  },
  {
    id: 'sampling-version',
    refuses: '`temperature`, `top_p` or `top_k` under the version 2026-10-21',
    source: 'https://platform.claude.com/docs/en/api/versioning',
    check: ({ body, header }) =>
      header('anthropic-version') !== '2026-10-21'
        ? undefined
        : findFirst(['temperature', 'top_p', 'top_k'], (name) =>
            (body[name] ?? null) === null ? undefined : invalid(`${name}: Extra inputs are not permitted`),
          ),
  },
  {
    id: 'temperature-range',
    refuses: 'a temperature above 1',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body: { temperature } }) =>
      typeof temperature === 'number' && temperature > 1
        ? invalid('temperature: Input should be less than or equal to 1')
        : undefined,
  },
  {
    id: 'thinking-sampling',
    refuses: 'a temperature other than 1, `top_p` below 0.95 or `top_k` beside thinking',
    source: 'https://github.com/MartialBE/one-hub/issues/529',
    check: ({ body }) => {
      if (!thinks(body['thinking'])) return undefined;
      const { temperature, top_p, top_k } = body;
      if (typeof temperature === 'number' && temperature !== 1) {
        return invalid(`\`temperature\` may only be set to 1 when thinking is enabled. ${CONSULT}`);
      }
      if (typeof top_p === 'number' && top_p < 0.95) {
        return invalid(
          `\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled. ${CONSULT}`,
        );
      }
      return typeof top_k === 'number'
        ? invalid(`\`top_k\` must be unset when thinking is enabled. ${CONSULT}`)
        : undefined;
    },
  },
  {
    id: 'thinking-forced-tool',
    refuses: 'a forced tool beside thinking',
    source: 'https://github.com/can1357/oh-my-pi/issues/341',
    check: ({ body }) =>
      thinks(body['thinking']) && ['any', 'tool'].includes(String(field(body['tool_choice'], 'type')))
        ? invalid('Thinking may not be enabled when tool_choice forces tool use.')
        : undefined,
  },
];

/** Whether a request asks the model to think. */
export const thinks = (thinking: unknown): boolean =>
  ['enabled', 'adaptive'].includes(String(field(thinking, 'type')));
