import { z } from 'zod';
import {
  chatAnswer,
  chatBody,
  countGeminiBody,
  countMessagesBody,
  deletedResponse,
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
import type { RelayRoute } from './relay-route.ts';
import { TASK_ROUTES } from './relay-tasks.ts';

export type { RelayRoute } from './relay-route.ts';

const PASSES =
  'Every other field passes to the upstream. Where that speaks another format, docs/protocols.md says what becomes of each.';

const modelPath = z.object({
  model: z
    .string()
    .meta({ description: 'A name with slashes stands there as it is', examples: ['sim-chat'] }),
});

const backgroundRoute = {
  tag: 'OpenAI Responses',
  kind: 'background',
  protocol: 'openai-responses',
  params: z.object({
    id: z.string().meta({ description: 'As the request with `background: true` was answered it' }),
  }),
} as const;

/** Clients of Vertex that have a key and no project ask below the last of these. */
const geminiRoutes = (
  below: '/v1beta' | '/v1' | '/v1beta1/publishers/google',
  suffix: string,
): Readonly<Record<string, RelayRoute>> => {
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
  openResponses: {
    method: 'GET',
    path: '/v1/responses',
    tag: 'OpenAI Responses',
    kind: 'websocket',
    summary: 'Open a WebSocket on which each message asks for a response',
    description:
      'With the headers of RFC 6455. Each text message is a `response.create` with the fields of the body of `POST /v1/responses`; docs/relay-api.md says what comes back, and with which codes the connection is closed.',
    protocol: 'openai-responses',
  },
  openRealtime: {
    method: 'GET',
    path: '/v1/realtime',
    tag: 'Realtime sessions',
    kind: 'websocket',
    summary: 'Open a session over a WebSocket, to speak and to listen',
    description:
      'With the headers of RFC 6455; the key may come in the subprotocol `openai-insecure-api-key.<key>` beside `realtime`. Each text message is one event; docs/relay-api.md says which are served, and with which codes the connection is closed.',
    protocol: 'openai-chat',
    query: z.object({ model: modelPath.shape.model }),
  },
  showResponse: {
    ...backgroundRoute,
    method: 'GET',
    path: '/v1/responses/{id}',
    summary: 'Show an answer that was asked for in the background',
    description:
      'For the account that asked for it. It is billed once, at its end, whether it is fetched or not. One that was asked for as a stream is streamed again, from any event on.',
    streams: 'asked for in the query',
    query: z.object({
      stream: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: 'Whether its events are streamed; only of one that was begun as a stream' }),
      starting_after: z
        .string()
        .optional()
        .meta({ description: 'The `sequence_number` of the last event that the client has' }),
      'include[]': z
        .string()
        .optional()
        .meta({ description: 'What else of it is shown, as OpenAI names it' }),
    }),
    answer: responsesAnswer,
  },
  cancelResponse: {
    ...backgroundRoute,
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    summary: 'Cancel an answer that goes on in the background',
    description: 'What the vendor did until then is billed.',
    answer: responsesAnswer,
  },
  deleteResponse: {
    ...backgroundRoute,
    method: 'DELETE',
    path: '/v1/responses/{id}',
    summary: 'Delete an answer that was asked for in the background',
    description: 'Once it has ended and is billed; before that it is a 400.',
    answer: deletedResponse,
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
  ...TASK_ROUTES,
  ...geminiRoutes('/v1beta', ''),
  ...geminiRoutes('/v1', 'BelowV1'),
  ...geminiRoutes('/v1beta1/publishers/google', 'OfVertex'),
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
