import { ProviderSettingsError } from '@tollgate/providers';
import { findOwn, type ModelOperation } from '@tollgate/vocabulary';
import { takeTask } from '../take-task.ts';
import {
  azure,
  azureAi,
  bedrock,
  type Find,
  type Found,
  makeUpstream,
  type Params,
  type Read,
  vertex,
} from './clouds.ts';

/** LiteLLM adds the path of Chat Completions to whatever address it is given; a version in it need not be `/v1`. */
function chatAt(base_url: string): Found['upstream'] {
  const { pathname } = new URL(base_url);
  const hasOther = !/^\/*$|\/v1\/*$/.test(pathname);
  const paths = { 'openai-chat': { generate: '/chat/completions', models: '/models' } };
  return { base_url, protocols: ['openai-chat'], ...(hasOther && { paths }) };
}

/** A provider that is known here, at the address of the file where that says one. */
const known =
  (preset: string): Find =>
  ({ read, model }) => {
    const base_url = read('api_base');
    const own = makeUpstream(preset, {});
    if (base_url === undefined) return { upstream: own, model, leftOut: [] };
    const dialect = own.dialects?.['openai-chat'];
    const upstream = own.protocols.includes('openai-chat')
      ? { ...chatAt(base_url), ...(dialect && { dialects: { 'openai-chat': dialect } }) }
      : { ...own, base_url };
    return { upstream, model, leftOut: [] };
  };

/** Chat Completions at an address that LiteLLM knows by heart. */
const chat =
  (base_url?: string): Find =>
  ({ read, model }) => {
    const base = read('api_base') ?? base_url;
    return base === undefined ? 'it names no api_base' : { upstream: chatAt(base), model, leftOut: [] };
  };

/** OpenAI itself speaks Responses too; whoever else is meant by the name speaks Chat Completions. */
const openai: Find = (of) => (of.params.api_base === undefined ? known('openai')(of) : chat()(of));

/** Beside conversations it is asked in a format of its own, and at another address. */
const cohere: Find = (of) => {
  if (of.operation === 'generate') return known('cohere')(of);
  const base_url = of.read('api_base') ?? 'https://api.cohere.com';
  const task_formats = { embed: 'cohere', rerank: 'cohere' } as const;
  return { upstream: { base_url, protocols: ['openai-chat'], task_formats }, model: of.model, leftOut: [] };
};

/** What LiteLLM writes before the slash of a model. */
const PROVIDERS: Readonly<Record<string, Find>> = {
  openai,
  custom_openai: chat(),
  aiohttp_openai: chat(),
  litellm_proxy: chat(),
  anthropic: known('anthropic'),
  gemini: known('gemini'),
  azure,
  azure_ai: azureAi,
  bedrock,
  bedrock_converse: bedrock,
  vertex_ai: vertex,
  vertex_ai_beta: vertex,
  deepseek: known('deepseek'),
  mistral: known('mistral'),
  codestral: chat('https://codestral.mistral.ai/v1'),
  xai: known('xai'),
  groq: known('groq'),
  openrouter: known('openrouter'),
  together_ai: known('together'),
  fireworks_ai: known('fireworks'),
  moonshot: known('moonshot'),
  zai: known('zai'),
  dashscope: known('qwen'),
  volcengine: known('doubao'),
  minimax: known('minimax'),
  perplexity: known('perplexity'),
  cohere,
  cohere_chat: known('cohere'),
  cerebras: known('cerebras'),
  deepinfra: known('deepinfra'),
  novita: known('novita'),
  huggingface: known('huggingface'),
  jina_ai: chat('https://api.jina.ai/v1'),
  openai_like: chat(),
  infinity: chat(),
  ollama: chat('http://localhost:11434'),
  ollama_chat: chat('http://localhost:11434'),
  hosted_vllm: chat('http://localhost:8000'),
  vllm: chat('http://localhost:8000'),
  lm_studio: chat('http://localhost:1234'),
  llamafile: chat('http://127.0.0.1:8080'),
  xinference: chat(),
  docker_model_runner: chat(),
  lemonade: chat(),
  ai21_chat: chat('https://api.ai21.com/studio/v1'),
  nvidia_nim: chat('https://integrate.api.nvidia.com/v1'),
  sambanova: chat('https://api.sambanova.ai/v1'),
  lambda_ai: chat('https://api.lambda.ai/v1'),
  nebius: chat('https://api.studio.nebius.ai/v1'),
  hyperbolic: chat('https://api.hyperbolic.xyz/v1'),
  featherless_ai: chat('https://api.featherless.ai/v1'),
  vercel_ai_gateway: chat('https://ai-gateway.vercel.sh/v1'),
};

const MEDIA = 'it makes pictures, sound or video, which are not served here';
const SEARCH = 'it searches, or embeds in a format of its own, which is not served here';
const OWN_FORMAT = 'it speaks a format of its own that is not spoken here';
const UNKNOWN =
  'its address is not known here: where it speaks Chat Completions, write openai/ and its api_base';

/** Names that cannot come over, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = Object.fromEntries(
  [
    [MEDIA, 'runwayml recraft fal_ai topaz elevenlabs deepgram assemblyai replicate'],
    [SEARCH, 'voyage milvus pg_vector'],
    [
      OWN_FORMAT,
      `text-completion-openai text-completion-codestral anthropic_text azure_text ai21 sagemaker sagemaker_chat watsonx
      watsonx_text oci triton petals oobabooga nlp_cloud maritalk clarifai bytez predibase cloudflare snowflake
      databricks`,
    ],
    [
      UNKNOWN,
      `datarobot baseten v0 morph friendliai empower github compactifai custom galadriel gradient_ai meta_llama nscale
      heroku aiml cometapi wandb ovhcloud`,
    ],
    ['it uses the subscription of a person', 'github_copilot chatgpt'],
    ['it is a part of LiteLLM', 'langfuse humanloop auto_router dotprompt'],
  ].flatMap(([why = '', names = '']) => names.split(/\s+/).map((name) => [name, why])),
);

/** Models without a prefix, whose provider LiteLLM knows by their names. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [
    /^(gpt|o\d|chatgpt|codex|text-embedding|(omni|text)-moderation|whisper-1|tts-1|dall-e|davinci-002|babbage-002)/,
    'openai',
  ],
  [/^claude/, 'anthropic'],
];

const REFERENCE = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/;

/** Where LiteLLM sends a deployment; a text says why that cannot come over. */
export function findProvider(
  params: Params,
  env: Readonly<Record<string, string | undefined>>,
  operation: ModelOperation = 'generate',
): Found | string {
  const slash = params.model.indexOf('/');
  const explicit = params['custom_llm_provider'];
  const prefix =
    typeof explicit === 'string'
      ? explicit
      : slash < 0
        ? BARE.find(([pattern]) => pattern.test(params.model))?.[1]
        : params.model.slice(0, slash);
  if (prefix === undefined) return 'its provider is not known by the name of its model';
  const find = findOwn(PROVIDERS, prefix);
  if (!find) return `its provider is ${prefix}: ${findOwn(LEFT_OUT, prefix) ?? UNKNOWN}`;
  const isPrefixed = params.model.startsWith(`${prefix}/`);
  const read: Read = (name, ...variables) => {
    const value = findOwn(params, name);
    if (value === undefined) return variables.map((each) => env[each]).find((each) => each !== undefined);
    const text = String(value);
    const variable = REFERENCE.exec(text)?.[1];
    if (variable === undefined) return text;
    const stands = env[variable];
    if (stands === undefined) throw new Unset(`${variable} is not set, which its ${name} is read from`);
    return stands;
  };
  try {
    const model = isPrefixed ? params.model.slice(prefix.length + 1) : params.model;
    const found = find({ params, read, operation, model });
    if (typeof found === 'string' || operation === 'generate') return found;
    const upstream = takeTask(found.upstream, operation);
    return typeof upstream === 'string' ? upstream : { ...found, upstream };
  } catch (error) {
    if (error instanceof Unset || error instanceof ProviderSettingsError) return error.message;
    throw error;
  }
}

/** The file names a variable that there is not. */
class Unset extends Error {}
