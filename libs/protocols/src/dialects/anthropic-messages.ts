import { CLAUDE_SAMPLING } from './claude-sampling.ts';
import type { FormatDialects } from './dialect.ts';

export const messagesDialects: FormatDialects = {
  usual: {
    sampling: 'all',
    reasoning: 'any',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    reasoning_off: true,
    reasons_unasked: false,
    min_budget: 1_024,
    max_budget: null,
    dynamic_budget: false,
    limit_field: 'max_tokens',
    min_output_tokens: 1,
    encrypted_reasoning: false,
    prefill: true,
    structured_output: true,
    closed_schemas: true,
    json_word: 'nobody',
    user_min: 1,
    user_max: 256,
    user_alphabet: 'any',
    call_id_min: 1,
    call_id_max: null,
    call_id_alphabet: 'word',
    reasoning_echo: false,
    reasoning_required: false,
    user_after_tool: true,
    custom_tools: false,
    cache_marks: 'none',
    min_cache_tokens: 1_024,
    refused_fields: [],
  },
  source: 'Anthropic API reference; metadata.user_id takes 256 characters',
  rules: [
    ...CLAUDE_SAMPLING,
    {
      models: /claude-/,
      says: { reasoning: 'effort', prefill: false, cache_marks: 'placed' },
      source: 'Anthropic migration guide; Kilo-Org/kilocode#10732, anomalyco/opencode#13768',
    },
    {
      models: /claude-(?:fable|mythos)-/,
      says: { reasoning_off: false },
      source: 'BaseInfinity/claude-sdlc-harness#385, PrimeIntellect-ai/prime-agent#111',
    },
    {
      models: /claude-(?:opus|sonnet)-4-6(?!\d)/,
      says: { reasoning: 'any', efforts: ['low', 'medium', 'high', 'max'] },
      source: 'Anthropic documentation of adaptive thinking; AAswordman/Operit#568',
    },
    {
      models: /claude-sonnet-4-6(?!\d)/,
      says: { efforts: ['low', 'medium', 'high'] },
      source: 'ENTERPILOT/GoModel#83: "max" was taken by Opus alone',
    },
    {
      models: /claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:$|@|:|-[015](?!\d)|-20\d{6}|-latest))/,
      says: { reasoning: 'budget', prefill: true },
      source: 'pensarai/apex#890, oratis/LISA#218, Oaklight/llm-rosetta#289',
    },
    {
      models: /claude-(?:2|instant|3-5|3-(?:opus|sonnet|haiku))/,
      says: { reasoning: 'none', prefill: true },
      source: 'Anthropic model overview',
    },
    {
      models: /claude-(?:[23]-|instant|(?:opus|sonnet)-4(?:$|@|:|-0(?!\d)|-20\d{6}|-latest))/,
      says: { structured_output: false },
      source: 'Anthropic documentation of structured outputs: from Opus 4.1 and Sonnet 4.5 on',
    },
    {
      models: /claude-.*haiku|claude-opus-4-7(?!\d)|claude-mythos-preview/,
      says: { min_cache_tokens: 2_048 },
      source: 'docs.orq.ai/docs/proxy/prompt-caching; harn-vm, measured in July 2026',
    },
    {
      models: /claude-(?:opus-4-[56]|haiku-4-5)(?!\d)/,
      says: { min_cache_tokens: 4_096 },
      source: 'docs.orq.ai/docs/proxy/prompt-caching, docs.aihubmix.com/en/api/Claude-Cache',
    },
  ],
};
