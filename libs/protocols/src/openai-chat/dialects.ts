import { CLAUDE_SAMPLING } from '../dialects/claude-sampling.ts';
import type { FormatDialects } from '../dialects/dialect.ts';
import { GROK_MODELS } from '../dialects/grok-models.ts';
import { OPENAI_MODELS } from '../dialects/openai-models.ts';

export const chatDialects: FormatDialects = {
  fields: {
    user: ['user', 'safety_identifier', 'prompt_cache_key'],
    sampling: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
    limits: ['max_completion_tokens', 'max_tokens'],
    reasoning: ['reasoning_content', 'reasoning'],
  },
  usual: {
    sampling: 'all',
    reasoning: 'effort',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    reasoning_off: true,
    reasons_unasked: false,
    reasons_with_tools: true,
    min_budget: 1,
    max_budget: null,
    dynamic_budget: false,
    limit_field: 'max_completion_tokens',
    min_output_tokens: 1,
    encrypted_reasoning: false,
    prefill: true,
    structured_output: true,
    json_with_tools: true,
    closed_schemas: false,
    whole_schemas: true,
    json_word: 'anybody',
    user_min: 1,
    user_max: 64,
    user_alphabet: 'any',
    call_id_min: 1,
    call_id_max: 40,
    call_id_alphabet: 'any',
    reasoning_echo: true,
    reasoning_required: false,
    user_after_tool: true,
    custom_tools: false,
    allowed_tools: false,
    refusals: false,
    max_stops: 4,
    cache_marks: 'none',
    min_cache_tokens: 1_024,
    // OpenAI takes metadata where the answer is stored, which no converted one is.
    refused_fields: ['metadata'],
  },
  source:
    'OpenAI API reference; maximhq/bifrost#1000, mnfst/llm-gateway#2789 for `user`; microsoft/autogen#6377 for ids of calls',
  rules: [
    ...CLAUDE_SAMPLING,
    ...OPENAI_MODELS,
    ...GROK_MODELS,
    {
      models: /^gpt-(?:[5-9]|\d\d)(?!.*-chat)|^codex-/,
      says: { custom_tools: true, allowed_tools: true },
      source: 'OpenAI documentation of function calling; BerriAI/litellm#31571, vm0-ai/vm0#28274 for others',
    },
    {
      models: /^gpt-(?!oss)|^o\d|^chatgpt-|^codex-/,
      says: { refusals: true },
      source: 'OpenAI API reference; Mistral API reference, which knows no such member, for others',
    },
    {
      models: /^gpt-5-[4-9](?!\d)(?!.*-(?:chat|codex|pro))/,
      says: { reasons_with_tools: false },
      source: 'BerriAI/litellm#34569, pipecat-ai/pipecat#4043, livekit/agents#7169: in Chat alone',
    },
    {
      models: /(?:^|[-:])o[134](?:-|$)/,
      says: { refused_fields: ['parallel_tool_calls'] },
      source:
        'evalstate/fast-agent#279, tensorzero/tensorzero#2805, langchain-ai/langgraph-supervisor-py#125',
    },
    {
      models:
        /^(?:open-)?(?:mistral|mixtral)|^(?:codestral|devstral|magistral|ministral|pixtral|voxtral|labs-)/,
      says: {
        limit_field: 'max_tokens',
        max_stops: null,
        call_id_min: 9,
        call_id_max: 9,
        call_id_alphabet: 'alphanumeric',
        prefill: false,
        reasoning_echo: false,
        user_after_tool: false,
        reasoning: 'none',
        refused_fields: [
          'user',
          'safety_identifier',
          'seed',
          'logit_bias',
          'verbosity',
          'service_tier',
          'prompt_cache_key',
          'prompt_cache_retention',
          'prompt_cache_options',
        ],
      },
      source:
        'editor-code-assistant/eca#231, Vali-98/ChatterUI#143, danny-avila/LibreChat#1538, anomalyco/opencode#1680, BerriAI/litellm#30835, zed-industries/zed#31736, anomalyco/opencode#19115, NousResearch/hermes-agent#11243',
    },
    {
      models: /^magistral|^mistral-(?:small-(?:latest|4|26\d\d)|medium-(?:latest|3-5|26\d\d))/,
      says: { reasoning: 'effort', efforts: ['none', 'high'] },
      source:
        'UKGovernmentBEIS/inspect_ai#4711, pydantic/pydantic-ai#5285, architects-toolkit/SmartHopper#647',
    },
    {
      models: /^deepseek/,
      says: { limit_field: 'max_tokens', max_stops: 16, user_alphabet: 'word', structured_output: false },
      source: 'DeepSeek API reference; UKGovernmentBEIS/inspect_ai#4916, BerriAI/litellm#31466',
    },
    {
      models: /^deepseek-(?:v[4-9]|reasoner)/,
      says: { reasoning_required: true },
      source: 'DeepSeek documentation of thinking; NousResearch/hermes-agent#17341, lobehub/lobehub#16294',
    },
    {
      models: /^(?:glm|chatglm|doubao)/,
      says: { limit_field: 'max_tokens', user_min: 6 },
      source: 'looplj/axonhub#1669, Zhipu API reference',
    },
    {
      models: /^(?:kimi|moonshot|qwen|qwq|yi-|baichuan|hunyuan|minimax)/,
      says: { limit_field: 'max_tokens' },
      source: 'API references of the vendors',
    },
    {
      models: /^kimi-k(?:2-(?:[5-9]|thinking)|[3-9])/,
      says: { reasoning_required: true },
      source: 'QuantumNous/new-api#3121, mastra-ai/mastra#12592, anomalyco/opencode#10996',
    },
    {
      models: /^moonshot-v1-8k/,
      says: { max_output_tokens: 8_192 },
      source: 'Moonshot model list',
    },
    {
      models: /^(?:meta-)?llama|^gemma|^qwen|^qwq|^grok/,
      says: { max_stops: null },
      source: 'vLLM and xAI documentation: no limit, or one above what others take',
    },
    {
      models: /^(?:meta-)?llama/,
      says: { reasoning: 'none' },
      source: 'diegosouzapw/OmniRoute#3277, iamsrikanthnani/pluely#219',
    },
    {
      models: /^gpt-3-5|^gpt-4(?:$|-turbo|-\d{4}|-32k)/,
      says: { structured_output: false },
      source: 'OpenAI documentation of structured outputs: from GPT-4o on',
    },
  ],
};
