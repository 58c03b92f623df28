import type { ClientProtocol } from '@tollgate/vocabulary';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { describePaths, type OpenApiDocument } from './openapi.ts';
import { publicPrices } from './prices.ts';
import { geminiError, messagesError, openaiError } from './relay-bodies.ts';
import { listRelayErrors, type RelayErrors } from './relay-errors.ts';
import { RELAY_ROUTES, type RelayRoute } from './relay.ts';
import {
  ANSWER_HEADERS,
  answerHeader,
  ERROR_HEADERS,
  MESSAGES_HEADERS,
  REQUEST_HEADERS,
} from './relay-headers.ts';

/** A key is taken from any of these places, on every route. */
const CREDENTIALS = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'As OpenAI’s clients send it; taken without the word `Bearer` too.',
  },
  'x-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'As Anthropic’s clients send it.',
  },
  'x-goog-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'As Gemini’s clients send it.',
  },
  key: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'As Gemini’s clients may send it; logs of proxies may show it.',
  },
} as const;

/** What differs between formats, of those that clients speak. */
interface Format {
  readonly credential: keyof typeof CREDENTIALS;
  readonly error: z.ZodType;
  /** The tightest limit of requests and the tightest of tokens. */
  readonly rateHeaders: Readonly<Record<string, z.ZodType>>;
}

const describeRates = (nameOf: (unit: string, what: string) => string): Format['rateHeaders'] =>
  Object.fromEntries(
    ['requests', 'tokens'].flatMap((unit) =>
      Object.entries({
        limit: `How many ${unit} the tightest limit allows`,
        remaining: `How many ${unit} are left of it`,
        reset: `When as many ${unit} are there again`,
      }).map(([what, description]) => {
        const name = nameOf(unit, what);
        return [name, answerHeader(name, description)];
      }),
    ),
  );

const OPENAI: Format = {
  credential: 'bearer',
  error: openaiError,
  rateHeaders: describeRates((unit, what) => `x-ratelimit-${what}-${unit}`),
};
const FORMATS: Readonly<Record<ClientProtocol, Format>> = {
  'openai-chat': OPENAI,
  'openai-responses': OPENAI,
  'anthropic-messages': {
    credential: 'x-api-key',
    error: messagesError,
    rateHeaders: describeRates((unit, what) => `anthropic-ratelimit-${unit}-${what}`),
  },
  gemini: { ...OPENAI, credential: 'x-goog-api-key', error: geminiError },
};

const METHODS = { GET: 'get', POST: 'post', DELETE: 'delete' } as const;

/** The OpenAPI 3.1 document of the relay's routes, and of the public prices beside them. */
export function describeRelay(errors: RelayErrors): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  const refusals = new Map<string, ZodOpenApiResponseObject>();
  for (const [operationId, route] of Object.entries(RELAY_ROUTES)) {
    const method = METHODS[route.method];
    (paths[route.path] ??= {})[method] = describeRelayRoute(operationId, route, errors, refusals);
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tollgate relay',
      description:
        'What clients of AI models call. The routes of the console’s services are in /api/openapi.json and /api/catalogue/openapi.json.',
      version: '1',
    },
    paths: { ...paths, ...describePaths({ Prices: publicPrices }) },
    components: { securitySchemes: CREDENTIALS },
  });
}

function describeRelayRoute(
  operationId: string,
  route: RelayRoute,
  errors: RelayErrors,
  refusals: Map<string, ZodOpenApiResponseObject>,
): ZodOpenApiOperationObject {
  const { kind, protocol, params, query, body, bodyType = 'application/json' } = route;
  const headers = kind === 'generate' || kind === 'count' ? REQUEST_HEADERS[kind] : undefined;
  const header = protocol === 'anthropic-messages' ? headers?.extend(MESSAGES_HEADERS.shape) : headers;
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: kind === 'public' ? [] : orderCredentials(protocol).map((name) => ({ [name]: [] })),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(header && { header }),
    },
    ...(body && { requestBody: { required: true, content: { [bodyType]: { schema: body } } } }),
    responses: {
      [kind === 'websocket' ? 101 : 200]: describeSuccess(route),
      ...Object.fromEntries(
        Object.entries(listRelayErrors(kind, errors)).map(([status, lines]) => [
          status,
          describeRefusal(route, status, lines, refusals),
        ]),
      ),
    },
  };
}

/** The place where the format's own clients have it comes first. */
const orderCredentials = (protocol: ClientProtocol = 'openai-chat'): readonly string[] => {
  const { credential } = FORMATS[protocol];
  return [credential, ...Object.keys(CREDENTIALS).filter((name) => name !== credential)];
};

function describeSuccess(route: RelayRoute): ZodOpenApiResponseObject {
  const { answer, answerType = 'application/json', streams } = route;
  const stream = z.string().meta({ description: 'Events of the format' });
  return {
    description: describeEnd(route),
    headers: z.object({ ...answerHeaders(route), ...rateHeaders(route) }),
    ...(answer && {
      content: {
        [answerType]: { schema: answer },
        ...(streams && { 'text/event-stream': { schema: stream } }),
      },
    }),
  };
}

const describeEnd = ({ kind, streams }: RelayRoute): string => {
  if (kind === 'websocket') return 'The connection is a WebSocket from here on.';
  return streams?.startsWith('asked') ? 'The answer, or a stream of it.' : 'Done.';
};

function answerHeaders({ kind }: RelayRoute): Readonly<Record<string, z.ZodType>> {
  const {
    'x-tollgate-estimated': estimated,
    'x-tollgate-idempotency': idempotency,
    'idempotency-replayed': replayed,
    ...others
  } = ANSWER_HEADERS;
  if (kind === 'count') return { ...others, 'x-tollgate-estimated': estimated };
  if (kind === 'generate')
    return { ...others, 'x-tollgate-idempotency': idempotency, 'idempotency-replayed': replayed };
  const { 'x-request-id': id, 'request-id': same } = others;
  return { 'x-request-id': id, 'request-id': same };
}

/** Where the format is that of whoever asks, those of any. */
function rateHeaders({ kind, protocol }: RelayRoute): Format['rateHeaders'] {
  // Each response on a WebSocket tells of its own.
  if (kind === 'public' || kind === 'websocket') return {};
  if (protocol) return FORMATS[protocol].rateHeaders;
  return Object.fromEntries(Object.values(FORMATS).flatMap((format) => Object.entries(format.rateHeaders)));
}

/** The same refusal of routes of one format is told once. */
function describeRefusal(
  route: RelayRoute,
  status: string,
  lines: readonly string[],
  refusals: Map<string, ZodOpenApiResponseObject>,
): ZodOpenApiResponseObject {
  const { protocol, kind } = route;
  const id = `${protocol ?? 'any'}-${kind}-${status}`;
  const known = refusals.get(id);
  if (known) return known;
  const schema = protocol
    ? FORMATS[protocol].error
    : kind === 'public'
      ? openaiError
      : z.union([openaiError, messagesError, geminiError]);
  const refusal: ZodOpenApiResponseObject = {
    id,
    description: lines.join('\n\n'),
    headers: z.object({
      'x-request-id': ANSWER_HEADERS['x-request-id'],
      'request-id': ANSWER_HEADERS['request-id'],
      ...ERROR_HEADERS,
      ...rateHeaders(route),
    }),
    content: { 'application/json': { schema } },
  };
  refusals.set(id, refusal);
  return refusal;
}
