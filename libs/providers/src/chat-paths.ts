import type { Task } from '@tollgate/vocabulary';
import type { Provider } from './provider.ts';

type Paths = NonNullable<Provider['paths']>;

/** Paths of Chat Completions at a vendor whose base address ends in no `/v1`; models are listed beside it, and tasks where each is. */
export const toChatPaths = (
  generate: string,
  models = generate.replace('/chat/completions', '/models'),
  tasks: Readonly<Partial<Record<Task, string>>> = {},
): Paths => ({ 'openai-chat': { generate, models, ...tasks } });

/** Paths of a vendor that speaks Chat Completions, and Anthropic's format below `/anthropic`. */
export const toBothPaths = (generate: string): Paths => ({
  ...toChatPaths(generate),
  'anthropic-messages': {
    generate: '/anthropic/v1/messages',
    count: '/anthropic/v1/messages/count_tokens',
    models: '/anthropic/v1/models',
  },
});
