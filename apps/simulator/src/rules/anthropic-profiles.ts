import type { ModelProfile } from './rule.ts';

const LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'];

/** What a model behind Anthropic's format takes. */
export interface AnthropicProfile {
  readonly vendor: 'anthropic' | 'deepseek';
  /** Temperature and `top_p`: both at once, one of them, or neither. */
  readonly sampling: 'both' | 'one' | 'none';
  readonly thinking: readonly ('enabled' | 'adaptive')[];
  /** The levels of `output_config.effort`; none where the model has none. */
  readonly efforts: readonly string[];
  readonly prefill: boolean;
  /** A `system` turn inside `messages`. */
  readonly systemTurns: boolean;
  readonly maxOutput?: number;
}

const MODELS = 'https://platform.claude.com/docs/en/about-claude/models/overview';
const ADAPTIVE = 'https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking';

/** Models before effort and adaptive thinking. */
const budgeted = (
  models: RegExp,
  sampling: AnthropicProfile['sampling'],
  maxOutput: number,
  efforts: readonly string[] = [],
): ModelProfile<AnthropicProfile> => ({
  models,
  source: MODELS,
  takes: {
    vendor: 'anthropic',
    sampling,
    thinking: ['enabled'],
    efforts,
    prefill: true,
    systemTurns: false,
    maxOutput,
  },
});

const adaptive = (models: RegExp, systemTurns: boolean): ModelProfile<AnthropicProfile> => ({
  models,
  source: ADAPTIVE,
  takes: {
    vendor: 'anthropic',
    sampling: 'none',
    thinking: ['adaptive'],
    efforts: LEVELS,
    prefill: false,
    systemTurns,
    maxOutput: 128_000,
  },
});

export const UNKNOWN_ANTHROPIC: AnthropicProfile = {
  vendor: 'anthropic',
  sampling: 'both',
  thinking: ['enabled', 'adaptive'],
  efforts: LEVELS,
  prefill: true,
  systemTurns: true,
};

/** Names end in a version or a date, and the clouds put theirs before them. */
export const ANTHROPIC_PROFILES: readonly ModelProfile<AnthropicProfile>[] = [
  {
    models: /deepseek/i,
    source: 'https://github.com/deepseek-ai/DeepSeek-V3/issues/1277',
    takes: { ...UNKNOWN_ANTHROPIC, vendor: 'deepseek' },
  },
  adaptive(/claude-opus-4-[89]|claude-[a-z]+-([5-9]|\d\d)(?!\d)/, true),
  adaptive(/claude-opus-4-7/, false),
  {
    models: /claude-(opus|sonnet)-4-6/,
    source: ADAPTIVE,
    takes: {
      vendor: 'anthropic',
      sampling: 'one',
      thinking: ['enabled', 'adaptive'],
      efforts: ['low', 'medium', 'high', 'max'],
      prefill: false,
      systemTurns: false,
      maxOutput: 128_000,
    },
  },
  budgeted(/claude-opus-4-5/, 'one', 64_000, ['low', 'medium', 'high']),
  budgeted(/claude-(sonnet|haiku)-4-5/, 'one', 64_000),
  budgeted(/claude-opus-4-1/, 'one', 32_000),
  budgeted(/claude-opus-4(?!-\d(?!\d))/, 'both', 32_000),
  budgeted(/claude-sonnet-4(?!-\d(?!\d))/, 'both', 64_000),
  budgeted(/claude-3-7/, 'both', 128_000),
  budgeted(/claude-3-5/, 'both', 8_192),
  budgeted(/claude-3-(opus|haiku|sonnet)/, 'both', 4_096),
];
