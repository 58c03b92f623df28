import {
  addDefaultHeaders,
  CODECS,
  findTaskFormat,
  findWrapping,
  isAskedForPredictions,
  overrideBodyFields,
  type TaskForm,
} from '@tollgate/protocols';
import { type OtherOperation, type Protocol, TASK_FORMATS, type TaskFormat } from '@tollgate/vocabulary';
import type { UpstreamClient } from '../route/upstream-client.ts';
import type { UnsignedRequest } from '../upstream-auth/auth-scheme.ts';
import { findUpstreamTarget } from './upstream-target.ts';

/** What a test asks an upstream for. */
export interface TestTarget {
  readonly protocol: Protocol;
  /** By the name that the upstream knows it by. */
  readonly model: string;
  /** In place of a conversation. */
  readonly operation?: OtherOperation | undefined;
}

const WORDS = 'Answer with the word OK.';
const SAID = 'OK';
const parts = [{ text: SAID }];

type MakeBody = (model: string) => object;

/** Requests of tasks that cost next to nothing. What draws, hears or holds a session is not tried: that would cost more. */
const TINY_TASKS: Readonly<Partial<Record<OtherOperation, Readonly<Partial<Record<TaskFormat, MakeBody>>>>>> =
  {
    embed: {
      openai: (model) => ({ model, input: SAID }),
      gemini: (model) => ({ requests: [{ model: `models/${model}`, content: { parts } }] }),
      'gemini-single': () => ({ content: { parts } }),
      vertex: (model) =>
        isAskedForPredictions(model) ? { instances: [{ content: SAID }] } : { content: { parts } },
      cohere: (model) => ({ model, texts: [SAID], input_type: 'search_query', embedding_types: ['float'] }),
    },
    rerank: {
      jina: (model) => ({ model, query: SAID, documents: [SAID] }),
      cohere: (model) => ({ model, query: SAID, documents: [SAID] }),
      tei: () => ({ query: SAID, texts: [SAID] }),
    },
    moderate: { openai: (model) => ({ model, input: SAID }) },
    complete: { openai: (model) => ({ model, prompt: SAID, max_tokens: 1 }) },
    speak: { openai: (model) => ({ model, input: SAID, voice: 'alloy' }) },
  };

/** A tiny request for a model. Undefined for one that cannot be tried for next to nothing. */
export function createTestRequest(client: UpstreamClient, target: TestTarget): UnsignedRequest | undefined {
  const { operation } = target;
  if (operation === undefined) return createConversation(client, target);
  if (operation === 'realtime') return undefined;
  const { upstream, origin, setHeaders } = client;
  const { model } = target;
  const [own] = TASK_FORMATS[operation];
  const found = findTaskFormat(
    { task: operation, format: own },
    upstream.protocols,
    upstream.task_formats?.[operation],
    model,
  );
  const tiny = found && TINY_TASKS[operation]?.[found.format]?.(model);
  if (!tiny) return undefined;
  const { protocol, format } = found;
  const task: TaskForm = { task: operation, format };
  const path = findUpstreamTarget(upstream, { protocol, model, action: 'generate', task });
  const headers = Object.assign(addDefaultHeaders(protocol, plainHeaders()), setHeaders);
  const body = overrideBodyFields(Buffer.from(JSON.stringify(tiny)), upstream.set_parameters);
  return { method: 'POST', path, origin, protocol, headers, body };
}

const plainHeaders = () => ({ 'content-type': 'application/json', accept: 'application/json' });

function createConversation(
  { upstream, origin, setHeaders }: UpstreamClient,
  { protocol, model }: TestTarget,
): UnsignedRequest {
  const path = findUpstreamTarget(upstream, { protocol, model, action: 'generate' });
  const headers = Object.assign(addDefaultHeaders(protocol, plainHeaders()), setHeaders);
  const tiny = Buffer.from(JSON.stringify(CODECS[protocol].testRequest(model, WORDS)));
  const body = overrideBodyFields(tiny, upstream.set_parameters);
  const wrapped = findWrapping(upstream.wrapping, protocol)?.wrap(
    { headers, body },
    { model, action: 'generate' },
  );
  return { method: 'POST', path, origin, protocol, headers, body, ...wrapped };
}
