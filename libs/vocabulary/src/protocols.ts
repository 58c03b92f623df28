/** The wire formats that clients and upstreams speak. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
