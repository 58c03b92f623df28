import { findProvider, toUpstream } from '@tollgate/providers';
import type { ClientProtocol } from '@tollgate/vocabulary';

type ProviderUpstream = ReturnType<typeof toUpstream>;

export interface ChannelType {
  readonly name: string;
  /** Where its channels go that name no address of their own. */
  readonly base_url?: string;
  /** Where below that its OpenAI endpoints are. */
  readonly path?: string;
  readonly protocols: readonly ClientProtocol[];
  /** What its upstreams have beside their address. */
  readonly access?: Pick<ProviderUpstream, 'auth' | 'paths' | 'dialects'>;
}

const chat = (name: string, base_url?: string): ChannelType => ({
  name,
  ...(base_url === undefined ? {} : { base_url }),
  protocols: ['openai-chat'],
});

/** A vendor that is known here: its paths, and what it takes of the format otherwise. */
function provider(name: string, of: string, base_url?: string): ChannelType {
  const known = findProvider(of);
  if (known === undefined) throw new Error(`There is no provider ${of}.`);
  const { base_url: own, paths, dialects } = toUpstream(known, { secret: 'none-yet' });
  const { origin, pathname } = new URL(own);
  const chatPaths = paths?.['openai-chat'];
  const taken = dialects?.['openai-chat'];
  return {
    ...chat(name, base_url ?? origin),
    ...(pathname === '/' ? {} : { path: pathname }),
    access: {
      ...(chatPaths && { paths: { 'openai-chat': chatPaths } }),
      ...(taken && { dialects: { 'openai-chat': taken } }),
    },
  };
}

const below = (type: ChannelType, generate: string): ChannelType => ({
  ...type,
  access: { paths: { 'openai-chat': { generate } } },
});

/** The numbers that new-api and one-api give to channels of vendors; those of clouds stand in clouds.ts. */
export const CHANNEL_TYPES: Readonly<Record<number, ChannelType>> = {
  1: { name: 'OpenAI', base_url: 'https://api.openai.com', protocols: ['openai-chat', 'openai-responses'] },
  4: chat('Ollama', 'http://localhost:11434'),
  6: chat('OpenAIMax', 'https://api.openaimax.com'),
  7: chat('OhMyGPT', 'https://api.ohmygpt.com'),
  8: chat('Custom'),
  9: chat('AILS', 'https://api.caipacity.com'),
  10: chat('AIProxy', 'https://api.aiproxy.io'),
  12: chat('API2GPT', 'https://api.api2gpt.com'),
  13: chat('AIGC2D', 'https://api.aigc2d.com'),
  14: { name: 'Anthropic', base_url: 'https://api.anthropic.com', protocols: ['anthropic-messages'] },
  17: { ...chat('Ali', 'https://dashscope.aliyuncs.com'), path: '/compatible-mode' },
  19: chat('360', 'https://api.360.cn'),
  20: chat('OpenRouter', 'https://openrouter.ai/api'),
  22: chat('FastGPT', 'https://fastgpt.run/api/openapi'),
  24: { name: 'Gemini', base_url: 'https://generativelanguage.googleapis.com', protocols: ['gemini'] },
  25: provider('Moonshot', 'moonshot', 'https://api.moonshot.cn'),
  26: provider('ZhipuV4', 'zhipu'),
  27: provider('Perplexity', 'perplexity'),
  31: chat('LingYiWanWu', 'https://api.lingyiwanwu.com'),
  34: { ...chat('Cohere', 'https://api.cohere.ai'), path: '/compatibility' },
  35: below(chat('MiniMax', 'https://api.minimax.chat'), '/v1/text/chatcompletion_v2'),
  38: chat('Jina', 'https://api.jina.ai'),
  40: chat('SiliconFlow', 'https://api.siliconflow.cn'),
  42: provider('Mistral', 'mistral'),
  43: chat('DeepSeek', 'https://api.deepseek.com'),
  45: provider('VolcEngine', 'doubao'),
  46: below(chat('BaiduV2', 'https://qianfan.baidubce.com'), '/v2/chat/completions'),
  47: chat('Xinference'),
  48: provider('xAI', 'xai'),
  53: chat('Submodel', 'https://llm.submodel.ai'),
};

const MEDIA = 'it makes pictures, sound or video, which are not served here';
const OWN_FORMAT = 'it speaks a format of its own that is not spoken here';

/** Types that cannot come over, and why. */
export const LEFT_OUT: Readonly<Record<number, readonly [name: string, why: string]>> = {
  2: ['Midjourney', MEDIA],
  5: ['MidjourneyPlus', MEDIA],
  11: ['PaLM', 'its API does not exist any more; make a channel of the type Gemini'],
  15: ['Baidu', `${OWN_FORMAT}; its newer API, the type BaiduV2, comes over`],
  16: ['Zhipu', `${OWN_FORMAT}; its newer API, the type ZhipuV4, comes over`],
  18: ['Xunfei', OWN_FORMAT],
  21: ['AIProxyLibrary', OWN_FORMAT],
  23: ['Tencent', OWN_FORMAT],
  36: ['SunoAPI', MEDIA],
  37: ['Dify', OWN_FORMAT],
  44: ['MokaAI', 'it embeds in a format of its own that is not spoken here'],
  49: ['Coze', OWN_FORMAT],
  50: ['Kling', MEDIA],
  51: ['Jimeng', MEDIA],
  52: ['Vidu', MEDIA],
  54: ['DoubaoVideo', MEDIA],
  55: ['Sora', MEDIA],
  56: ['Replicate', MEDIA],
  57: ['Codex', 'it uses the subscription of a person'],
};
