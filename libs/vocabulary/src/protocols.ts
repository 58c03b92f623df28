/** The wire formats with doors of their own: clients speak them, and upstreams too. */
export const CLIENT_PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type ClientProtocol = (typeof CLIENT_PROTOCOLS)[number];

/** The wire formats that upstreams speak. */
export const PROTOCOLS = [...CLIENT_PROTOCOLS, 'bedrock-converse'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
