import type { TaskForm, UpstreamAction } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';

/** A route that forwards to an upstream. */
export interface Endpoint {
  readonly protocol: ClientProtocol;
  /** What the upstream is asked for, where the path does not say it. */
  readonly action: UpstreamAction | 'from-path';
  /** In place of a conversation; where the path does not say it. */
  readonly task?: TaskForm;
}

/** Of those who have OpenAI's keys and errors. */
const asTask = (task: TaskForm): Endpoint => ({ protocol: 'openai-chat', action: 'generate', task });

/** The POST routes of the relay. A path that ends in `*` holds the model and the action. */
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': { protocol: 'openai-chat', action: 'generate' },
  '/v1/responses': { protocol: 'openai-responses', action: 'generate' },
  '/v1/messages': { protocol: 'anthropic-messages', action: 'generate' },
  '/v1/messages/count_tokens': { protocol: 'anthropic-messages', action: 'count' },
  '/v1/embeddings': asTask({ task: 'embed', format: 'openai' }),
  '/v2/embed': asTask({ task: 'embed', format: 'cohere' }),
  '/v1/rerank': asTask({ task: 'rerank', format: 'jina' }),
  '/rerank': asTask({ task: 'rerank', format: 'jina' }),
  '/v2/rerank': asTask({ task: 'rerank', format: 'cohere' }),
  '/v1/moderations': asTask({ task: 'moderate', format: 'openai' }),
  '/v1/completions': asTask({ task: 'complete', format: 'openai' }),
  '/v1/images/generations': asTask({ task: 'draw', format: 'openai' }),
  '/v1/images/edits': asTask({ task: 'edit', format: 'openai' }),
  '/v1/audio/transcriptions': asTask({ task: 'transcribe', format: 'openai' }),
  '/v1/audio/speech': asTask({ task: 'speak', format: 'openai' }),
  '/v1/audio/translations': asTask({ task: 'translate', format: 'openai' }),
  '/v1beta/models/*': { protocol: 'gemini', action: 'from-path' },
  '/v1beta1/publishers/google/models/*': { protocol: 'gemini', action: 'from-path' },
  '/v1/models/*': { protocol: 'gemini', action: 'from-path' },
};
