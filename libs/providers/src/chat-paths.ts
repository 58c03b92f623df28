import type { Provider } from './provider.ts';

/** Paths of Chat Completions at a vendor whose base address ends in no `/v1`. */
export const toChatPaths = (generate: string, models?: string): NonNullable<Provider['paths']> => ({
  'openai-chat': models === undefined ? { generate } : { generate, models },
});
