import type { ClientProtocol } from '@tollgate/vocabulary';

interface Provider {
  readonly base_url: string;
  readonly protocols: readonly ClientProtocol[];
  /** The model as the provider calls it. */
  readonly model: string;
}

type Known = Omit<Provider, 'model'>;
const chat = (base_url: string): Known => ({ base_url, protocols: ['openai-chat'] });

/** What LiteLLM writes before the slash of a model. */
const PROVIDERS: Readonly<Record<string, Known>> = {
  openai: { base_url: 'https://api.openai.com', protocols: ['openai-chat', 'openai-responses'] },
  anthropic: { base_url: 'https://api.anthropic.com', protocols: ['anthropic-messages'] },
  gemini: { base_url: 'https://generativelanguage.googleapis.com', protocols: ['gemini'] },
  deepseek: chat('https://api.deepseek.com'),
  mistral: chat('https://api.mistral.ai'),
  xai: chat('https://api.x.ai'),
  groq: chat('https://api.groq.com/openai'),
  openrouter: chat('https://openrouter.ai/api'),
  together_ai: chat('https://api.together.xyz'),
  fireworks_ai: chat('https://api.fireworks.ai/inference'),
  ollama: chat('http://localhost:11434'),
  ollama_chat: chat('http://localhost:11434'),
  hosted_vllm: chat('http://localhost:8000'),
};

/** Models without a prefix, whose provider LiteLLM knows by their names. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|o\d|chatgpt|codex)/, 'openai'],
  [/^claude/, 'anthropic'],
];

/** Where LiteLLM sends a model; undefined for what a Tollgate does not speak, such as Azure, Bedrock and Vertex. */
export function findProvider(model: string, apiBase: string | undefined): Provider | undefined {
  const slash = model.indexOf('/');
  const prefix = slash < 0 ? BARE.find(([pattern]) => pattern.test(model))?.[1] : model.slice(0, slash);
  const known = prefix === undefined ? undefined : PROVIDERS[prefix];
  if (!known) return undefined;
  const isOwnOpenAi = prefix === 'openai' && apiBase !== undefined;
  return {
    ...(isOwnOpenAi ? chat(apiBase) : { ...known, base_url: apiBase ?? known.base_url }),
    model: slash < 0 ? model : model.slice(slash + 1),
  };
}
