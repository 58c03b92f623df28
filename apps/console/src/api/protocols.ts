/** The wire formats that routes and upstreams speak, as the catalogue names them. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
