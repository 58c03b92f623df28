import type { ClientProtocol } from '@tollgate/vocabulary';
import { z } from 'zod';
import {
  chatAnswer,
  chatBody,
  countGeminiBody,
  countMessagesBody,
  geminiAnswer,
  geminiBody,
  geminiCount,
  messagesAnswer,
  messagesBody,
  messagesCount,
  modelAnswer,
  modelListAnswer,
  responsesAnswer,
  responsesBody,
  statusAnswer,
} from './relay-bodies.ts';

/** Which routes of the relay: those that answer, those that count tokens, the models, and what needs no key. */
export type RelayRouteKind = 'generate' | 'count' | 'models' | 'public';

/** One route of the relay. Its answers and its errors are in the format of a client, and its key is one of the API. */
export interface RelayRoute {
  readonly method: 'GET' | 'POST';
  /** As OpenAPI has it: an action follows a parameter. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly kind: RelayRouteKind;
  readonly summary: string;
  readonly description?: string;
  /** The format of its answers and errors; where none is named, that of whoever asks. */
  readonly protocol?: ClientProtocol;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
  /** What a stream is sent as, where there may be one. */
  readonly streams?: 'asked for in the body' | 'always';
}

const PASSES =
  'Every other field passes to the upstream. Where that speaks another format, docs/protocols.md says what becomes of each.';

const modelPath = z.object({
  model: z
    .string()
    .meta({ description: 'A name with slashes stands there as it is', examples: ['sim-chat'] }),
});

const geminiRoutes = (below: '/v1beta' | '/v1', suffix: string): Readonly<Record<string, RelayRoute>> => {
  const base = {
    method: 'POST',
    tag: 'Gemini generateContent',
    protocol: 'gemini',
    params: modelPath,
  } as const;
  return {
    [`generateContent${suffix}`]: {
      ...base,
      path: `${below}/models/{model}:generateContent`,
      kind: 'generate',
      summary: 'Answer whole',
      description: PASSES,
      body: geminiBody,
      answer: geminiAnswer,
    },
    [`streamGenerateContent${suffix}`]: {
      ...base,
      path: `${below}/models/{model}:streamGenerateContent`,
      kind: 'generate',
      summary: 'Answer as a stream',
      description: PASSES,
      query: z.object({
        alt: z
          .literal('sse')
          .optional()
          .meta({ description: 'Server-sent events; without it the stream is one JSON array' }),
      }),
      body: geminiBody,
      answer: z.array(geminiAnswer),
      streams: 'always',
    },
    [`countTokens${suffix}`]: {
      ...base,
      path: `${below}/models/{model}:countTokens`,
      kind: 'count',
      summary: 'Count the tokens of a request',
      description: 'It is not billed.',
      body: countGeminiBody,
      answer: geminiCount,
    },
  };
};

const WHOSE = 'In the format of whoever asks, by its path, its headers and where its key is.';

const modelRoutes = (below: '/v1beta' | '/v1', suffix: string): Readonly<Record<string, RelayRoute>> => ({
  [`listModels${suffix}`]: {
    method: 'GET',
    path: `${below}/models`,
    tag: 'Models',
    kind: 'models',
    summary: 'List the models that the key may use',
    description: WHOSE,
    query: z.object({
      limit: z.string().optional().meta({ description: 'Anthropic’s clients: models on a page' }),
      after_id: z.string().optional().meta({ description: 'Anthropic’s clients: the page after this model' }),
      before_id: z
        .string()
        .optional()
        .meta({ description: 'Anthropic’s clients: the page before this model' }),
      pageSize: z.string().optional().meta({ description: 'Gemini’s clients: models on a page' }),
      pageToken: z
        .string()
        .optional()
        .meta({ description: 'Gemini’s clients: `nextPageToken` of the page before' }),
    }),
    answer: modelListAnswer,
  },
  [`showModel${suffix}`]: {
    method: 'GET',
    path: `${below}/models/{model}`,
    tag: 'Models',
    kind: 'models',
    summary: 'Show one model that the key may use',
    description: WHOSE,
    params: modelPath,
    answer: modelAnswer,
  },
});

/** Every route of the relay, by the name of its operation. */
export const RELAY_ROUTES: Readonly<Record<string, RelayRoute>> = {
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'OpenAI Chat Completions',
    kind: 'generate',
    summary: 'Answer a conversation',
    description: PASSES,
    protocol: 'openai-chat',
    body: chatBody,
    answer: chatAnswer,
    streams: 'asked for in the body',
  },
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    tag: 'OpenAI Responses',
    kind: 'generate',
    summary: 'Answer a text or a list of items',
    description: PASSES,
    protocol: 'openai-responses',
    body: responsesBody,
    answer: responsesAnswer,
    streams: 'asked for in the body',
  },
  createMessage: {
    method: 'POST',
    path: '/v1/messages',
    tag: 'Anthropic Messages',
    kind: 'generate',
    summary: 'Answer a conversation',
    description: PASSES,
    protocol: 'anthropic-messages',
    body: messagesBody,
    answer: messagesAnswer,
    streams: 'asked for in the body',
  },
  countMessageTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    tag: 'Anthropic Messages',
    kind: 'count',
    summary: 'Count the tokens of a request',
    description: 'It is not billed.',
    protocol: 'anthropic-messages',
    body: countMessagesBody,
    answer: messagesCount,
  },
  ...geminiRoutes('/v1beta', ''),
  ...geminiRoutes('/v1', 'BelowV1'),
  ...modelRoutes('/v1', ''),
  ...modelRoutes('/v1beta', 'BelowV1beta'),
  showStatus: {
    method: 'GET',
    path: '/api/status',
    tag: 'Status',
    kind: 'public',
    summary: 'Tell the version and since when it runs',
    answer: statusAnswer,
  },
  sayHello: {
    method: 'GET',
    path: '/api/hello',
    tag: 'Status',
    kind: 'public',
    summary: 'Tell whether anybody answers',
    description: 'One client sends it as HEAD before its first request.',
  },
};

/** A header of requests that may be there. */
const optionalHeader = (description: string) => z.string().optional().meta({ description });

const ofBodies = {
  'Content-Encoding': z
    .enum(['gzip', 'deflate', 'br', 'zstd', 'identity'])
    .optional()
    .meta({ description: 'How the body is packed' }),
  traceparent: optionalHeader('The trace that the request belongs to (W3C)'),
  'x-stainless-timeout': optionalHeader('After how many seconds the SDK gives up'),
  'x-tollgate-hops': optionalHeader(
    'Marks of the deployments of Tollgate that the request has come through; each adds its own, and refuses what bears it already',
  ),
};

/** Headers that Tollgate itself reads, beside those of the key; others pass where an upstream of the format reads them. */
export const REQUEST_HEADERS: Readonly<Record<'generate' | 'count', z.ZodObject>> = {
  generate: z.object({
    'Idempotency-Key': z
      .string()
      .regex(/^[\x21-\x7e][\x20-\x7e]{0,254}$/)
      .optional()
      .meta({
        description:
          'The request runs once: its repeats with the same key get its answer, and are not billed again',
      }),
    ...ofBodies,
  }),
  count: z.object(ofBodies),
};

/** What Anthropic's clients send beside them. */
export const MESSAGES_HEADERS = z.object({
  'anthropic-version': z.string().default('2023-06-01').meta({ description: 'The version of the format' }),
});

/** A header of answers; documents describe it once, under its name. */
export const answerHeader = (name: string, description: string) =>
  z
    .string()
    .optional()
    .meta({ description, header: { id: name } });

/** Answers of the relay say these beside what the format has. */
export const ANSWER_HEADERS = {
  'x-request-id': answerHeader(
    'x-request-id',
    'The id that the usage log and the log lines name; `request-id` is the same',
  ),
  'request-id': answerHeader('request-id', 'The same as `x-request-id`'),
  'x-tollgate-dropped': answerHeader(
    'x-tollgate-dropped',
    'Fields that were left out, by their paths, because the upstream’s format has nothing like them',
  ),
  'x-tollgate-emulated': answerHeader(
    'x-tollgate-emulated',
    'Fields whose effect was brought about in another way, by their paths',
  ),
  'x-tollgate-estimated': answerHeader(
    'x-tollgate-estimated',
    '`true`: the count is our own estimate, because no upstream of the model counts',
  ),
  'x-tollgate-fallback': answerHeader(
    'x-tollgate-fallback',
    'The model that answered, and is billed, in place of the one that was asked for',
  ),
  'x-tollgate-idempotency': answerHeader(
    'x-tollgate-idempotency',
    '`stored`; or why a repeat would run again: `stream`, `too-large` (over 1 MiB), `no-room` (the account keeps too much), `unavailable` (no Redis)',
  ),
  'idempotency-replayed': answerHeader(
    'idempotency-replayed',
    '`true`: the answer of an earlier request; `x-request-id` is that one’s',
  ),
} as const;

/** Errors say these as well. */
export const ERROR_HEADERS = {
  'x-should-retry': answerHeader(
    'x-should-retry',
    '`false`: the same request cannot succeed later, and SDKs do not repeat it',
  ),
  'retry-after': answerHeader('retry-after', 'Seconds to wait before the next try'),
  'retry-after-ms': answerHeader('retry-after-ms', 'The same in milliseconds'),
} as const;
