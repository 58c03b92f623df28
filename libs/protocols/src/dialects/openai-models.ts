import type { DialectRule } from './dialect.ts';

/** OpenAI's models, in both of its formats; one version may stand for those after it until a rule says otherwise. */
export const OPENAI_MODELS: readonly DialectRule[] = [
  {
    models: /^gpt-3-5|^gpt-4-turbo|^gpt-4o-2024-05-13/,
    says: { max_output_tokens: 4_096 },
    source: 'OpenAI model pages; ChatGPTNextWeb/NextChat#3195',
  },
  {
    models: /^gpt-4(?:$|-\d{4}$)/,
    says: { max_output_tokens: 8_192 },
    source: 'OpenAI model pages',
  },
  {
    models: /^gpt-4o(?!-2024-05-13|-64k|.*-(?:audio|realtime|transcribe|tts))|^gpt-5(?:-\d)?-chat/,
    says: { max_output_tokens: 16_384 },
    source: 'OpenAI model pages',
  },
  {
    models: /^gpt-4-1(?!\d)/,
    says: { max_output_tokens: 32_768 },
    source: 'OpenAI model pages',
  },
  {
    models: /(?:^|[-:])(?:gpt-[34]|chatgpt-4o|davinci)|gpt-5(?:-\d)?-chat|-chat-latest$/,
    says: { reasoning: 'none', encrypted_reasoning: false },
    source: 'pydantic/pydantic-ai#2865, pydantic/pydantic-ai#3326, miquido/draive#399',
  },
  {
    models: /(?:^|[-:])o[134](?:-|$)/,
    says: {
      sampling: 'none',
      efforts: ['low', 'medium', 'high'],
      reasoning_off: false,
      reasons_unasked: true,
      refused_fields: ['stop'],
    },
    source: 'QuantumNous/new-api#1525, rikkahub/rikkahub#1037, EleutherAI/lm-evaluation-harness#3215',
  },
  {
    models: /^gpt-5(?!-\d(?!\d))(?!.*-chat)/,
    says: {
      sampling: 'none',
      reasoning_off: false,
      reasons_unasked: true,
      efforts: ['minimal', 'low', 'medium', 'high'],
      refused_fields: ['stop'],
    },
    source:
      'Sefaria/AppliedAI#47, chatboxai/chatbox#2627, The-PR-Agent/pr-agent#3271, FlowiseAI/Flowise#5046',
  },
  {
    models: /^gpt-5-1(?!\d)(?!.*-chat)/,
    says: { sampling: 'without_reasoning', efforts: ['none', 'low', 'medium', 'high'] },
    source: 'anomalyco/opencode#4451, langchain-ai/langchain#35424',
  },
  {
    models: /^gpt-5-[2-9](?!\d)(?!.*-chat)/,
    says: { sampling: 'without_reasoning', efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
    source: 'stdapi-ai/stdapi.ai#8, langchain-ai/langchain#35424, bolna-ai/bolna#852',
  },
  {
    models: /^gpt-5-[5-9](?!\d)(?!.*-chat)/,
    says: { reasons_unasked: true },
    source: 'maximhq/bifrost#3369: from GPT-5.5 on it reasons unless it is told not to',
  },
  {
    models: /^gpt-5-\d(?!\d).*-(?:codex|pro)|^codex-/,
    says: { sampling: 'none', reasoning_off: false, reasons_unasked: true, refused_fields: ['stop'] },
    source: 'OpenHands/software-agent-sdk#1837, langchain-ai/langchain#35424',
  },
  {
    models: /^gpt-5-1-codex(?!-max)/,
    says: { efforts: ['low', 'medium', 'high'] },
    source: 'router-for-me/CLIProxyAPI#249',
  },
  {
    models: /^gpt-5-1-codex-max|^gpt-5-[2-9](?!\d).*-(?:codex|pro)/,
    says: { efforts: ['low', 'medium', 'high', 'xhigh'] },
    source: 'The-PR-Agent/pr-agent#3271',
  },
  {
    models: /^gpt-(?:[6-9]|\d\d)(?!\d)/,
    says: {
      sampling: 'none',
      reasoning_off: false,
      reasons_unasked: true,
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    },
    source: 'The-PR-Agent/pr-agent#3271: "none" and "minimal" are refused',
  },
  {
    models: /^gpt-oss/,
    says: { efforts: ['low', 'medium', 'high'], reasoning_off: false, reasons_unasked: true },
    source: 'rikkahub/rikkahub#1037',
  },
];
