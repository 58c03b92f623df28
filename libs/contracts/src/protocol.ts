import { z } from 'zod';

/** The wire formats that clients and upstreams speak. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export const protocolSchema = z.enum(PROTOCOLS);
export type Protocol = z.infer<typeof protocolSchema>;
