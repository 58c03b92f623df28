import type { Provider } from './provider.ts';
import { openai } from './presets/openai.ts';
import { anthropic } from './presets/anthropic.ts';
import { gemini } from './presets/gemini.ts';
import { azureOpenai } from './presets/azure-openai.ts';
import { azureOpenaiClassic } from './presets/azure-openai-classic.ts';
import { azureAnthropic } from './presets/azure-anthropic.ts';
import { bedrockAnthropic } from './presets/bedrock-anthropic.ts';
import { bedrockOpenai } from './presets/bedrock-openai.ts';
import { bedrockMantleAnthropic } from './presets/bedrock-mantle-anthropic.ts';
import { anthropicAws } from './presets/anthropic-aws.ts';
import { vertex } from './presets/vertex.ts';
import { vertexAnthropic } from './presets/vertex-anthropic.ts';
import { deepseek } from './presets/deepseek.ts';
import { mistral } from './presets/mistral.ts';
import { xai } from './presets/xai.ts';
import { groq } from './presets/groq.ts';
import { together } from './presets/together.ts';
import { fireworks } from './presets/fireworks.ts';
import { openrouter } from './presets/openrouter.ts';
import { moonshot } from './presets/moonshot.ts';
import { zai } from './presets/zai.ts';
import { zhipu } from './presets/zhipu.ts';
import { qwen } from './presets/qwen.ts';
import { qwenCn } from './presets/qwen-cn.ts';
import { doubao } from './presets/doubao.ts';
import { minimax } from './presets/minimax.ts';
import { siliconflow } from './presets/siliconflow.ts';
import { ollama, vllm, lmStudio, tei, tgi, openaiCompatible } from './presets/own-machines.ts';
import { perplexity } from './presets/perplexity.ts';
import { cohere } from './presets/cohere.ts';
import { bedrock } from './presets/bedrock.ts';
import { cerebras } from './presets/cerebras.ts';
import { deepinfra } from './presets/deepinfra.ts';
import { novita } from './presets/novita.ts';
import { jina, jinaDeepsearch } from './presets/jina.ts';
import { huggingface } from './presets/huggingface.ts';

/** Every provider that comes set up, in the order in which it is offered. */
export const PROVIDERS: readonly Provider[] = [
  openai,
  anthropic,
  gemini,
  azureOpenai,
  azureOpenaiClassic,
  azureAnthropic,
  bedrockAnthropic,
  bedrock,
  bedrockOpenai,
  bedrockMantleAnthropic,
  anthropicAws,
  vertex,
  vertexAnthropic,
  deepseek,
  mistral,
  xai,
  groq,
  together,
  fireworks,
  openrouter,
  moonshot,
  zai,
  zhipu,
  qwen,
  qwenCn,
  doubao,
  minimax,
  siliconflow,
  perplexity,
  cohere,
  cerebras,
  deepinfra,
  novita,
  jina,
  jinaDeepsearch,
  huggingface,
  ollama,
  vllm,
  lmStudio,
  tgi,
  tei,
  openaiCompatible,
];

export const findProvider = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);
