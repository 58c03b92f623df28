import type { ClientProtocol } from '@tollgate/vocabulary';

export interface ChannelType {
  readonly name: string;
  /** Where its channels go that name no address of their own. */
  readonly base_url?: string;
  /** Where below that its OpenAI endpoints are. */
  readonly path?: string;
  readonly protocols: readonly ClientProtocol[];
}

const chat = (name: string, base_url?: string): ChannelType => ({
  name,
  ...(base_url === undefined ? {} : { base_url }),
  protocols: ['openai-chat'],
});

/** The numbers that new-api and one-api give to kinds of channel, as far as a Tollgate speaks to them. */
export const CHANNEL_TYPES: Readonly<Record<number, ChannelType>> = {
  1: { name: 'OpenAI', base_url: 'https://api.openai.com', protocols: ['openai-chat', 'openai-responses'] },
  4: chat('Ollama', 'http://localhost:11434'),
  6: chat('OpenAIMax', 'https://api.openaimax.com'),
  7: chat('OhMyGPT', 'https://api.ohmygpt.com'),
  8: chat('Custom'),
  14: { name: 'Anthropic', base_url: 'https://api.anthropic.com', protocols: ['anthropic-messages'] },
  17: { ...chat('Ali', 'https://dashscope.aliyuncs.com'), path: '/compatible-mode' },
  20: chat('OpenRouter', 'https://openrouter.ai/api'),
  24: { name: 'Gemini', base_url: 'https://generativelanguage.googleapis.com', protocols: ['gemini'] },
  25: chat('Moonshot', 'https://api.moonshot.cn'),
  31: chat('LingYiWanWu', 'https://api.lingyiwanwu.com'),
  40: chat('SiliconFlow', 'https://api.siliconflow.cn'),
  42: chat('Mistral', 'https://api.mistral.ai'),
  43: chat('DeepSeek', 'https://api.deepseek.com'),
  47: chat('Xinference'),
  48: chat('xAI', 'https://api.x.ai'),
  53: chat('Submodel', 'https://llm.submodel.ai'),
};
