import { findOwn } from '@tollgate/vocabulary';
import type { Params } from './clouds.ts';

/** The variable that LiteLLM reads a key from where a deployment names none, by what stands before the slash of its model. */
const USUAL_KEYS: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  gemini: 'GEMINI_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  codestral: 'CODESTRAL_API_KEY',
  xai: 'XAI_API_KEY',
  groq: 'GROQ_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  together_ai: 'TOGETHERAI_API_KEY',
  fireworks_ai: 'FIREWORKS_AI_API_KEY',
  moonshot: 'MOONSHOT_API_KEY',
  zai: 'ZAI_API_KEY',
  dashscope: 'DASHSCOPE_API_KEY',
  volcengine: 'VOLCENGINE_API_KEY',
  minimax: 'MINIMAX_API_KEY',
  perplexity: 'PERPLEXITYAI_API_KEY',
  cohere: 'COHERE_API_KEY',
  cohere_chat: 'COHERE_API_KEY',
  cerebras: 'CEREBRAS_API_KEY',
  deepinfra: 'DEEPINFRA_API_KEY',
  novita: 'NOVITA_API_KEY',
  huggingface: 'HUGGINGFACE_API_KEY',
  jina_ai: 'JINA_AI_API_KEY',
  nvidia_nim: 'NVIDIA_NIM_API_KEY',
  sambanova: 'SAMBANOVA_API_KEY',
  ai21_chat: 'AI21_API_KEY',
  lambda_ai: 'LAMBDA_API_KEY',
  nebius: 'NEBIUS_API_KEY',
  hyperbolic: 'HYPERBOLIC_API_KEY',
  featherless_ai: 'FEATHERLESS_AI_API_KEY',
  vercel_ai_gateway: 'VERCEL_AI_GATEWAY_API_KEY',
};

/** Where a deployment without an `api_key` has it from, if that variable is set, as `os.environ/NAME`. */
export function findUsualKey(
  { model, custom_llm_provider: stated }: Params,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const provider = typeof stated === 'string' ? stated : model.includes('/') ? model.split('/')[0] : 'openai';
  const bare = !model.includes('/') && model.startsWith('claude') ? 'anthropic' : provider;
  const variable = findOwn(USUAL_KEYS, bare ?? '');
  return variable !== undefined && env[variable] ? `os.environ/${variable}` : undefined;
}
