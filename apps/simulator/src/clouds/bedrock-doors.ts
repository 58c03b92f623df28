import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { anthropicMessages } from '../formats/anthropic-messages.ts';
import { bedrockConverse } from '../formats/bedrock-converse.ts';
import type { StreamEvent } from '../formats/format.ts';
import { openaiChat } from '../formats/openai-chat.ts';
import { openaiResponses } from '../formats/openai-responses.ts';
import { field, isObject, type Json, list } from '../question.ts';
import { Refused } from '../rules/rule.ts';
import type { AwsKeys } from './aws-keys.ts';
import { AWS } from './aws-identity.ts';
import { BEDROCK_BETAS, MANTLE_REFUSED, refuseBetas } from './betas.ts';
import type { CloudDoor, Serve, Target } from './door.ts';
import { encodeException, encodeFrame, JSON_TYPE } from './event-frames.ts';

/** Its own, or the vendor's own, which Anthropic's client sends in its place. */
const VERSION = /^(?:bedrock-2023-05-31|\d{4}-\d{2}-\d{2})$/;

/** What stands in no body there. */
const EXTRANEOUS = ['model', 'stream', 'service_tier', 'inference_geo', 'speed'];

/** Tools that Anthropic runs itself run at none of its clouds' doors but its own. */
const HOSTED = /^(?:web_search|web_fetch|code_execution)_/;

/** A tier of InvokeModel is asked for and told in a header, and not in the body. */
const TIER_HEADER = 'x-amzn-bedrock-service-tier';
const TIERS = ['default', 'priority', 'flex', 'reserved'];

function withoutTier(message: Json): Json {
  const { usage } = message;
  if (!isObject(usage)) return message;
  const { service_tier: _tier, ...rest } = usage;
  return { ...message, usage: rest };
}

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

const refuse = (message: string): never => {
  throw new Refused({ status: 400, message });
};

/** How Bedrock's runtime tells its own errors, whatever format it carries. */
const ERRORS = {
  error: (_status: number, message: string) => ({ message }),
  errorHeaders: (status: number) => ({
    'x-amzn-errortype': `${EXCEPTIONS[status] ?? 'InternalServerException'}:http://internal.amazon.com/`,
  }),
} as const;

/** Adds Bedrock's runtime, with the models of Anthropic and with Converse, and the doors of mantle. */
export function addBedrockDoors(server: FastifyInstance, serve: Serve, keys: AwsKeys): void {
  const open = (
    path: string,
    service: string,
    target: (request: FastifyRequest, account: string) => Target,
  ) =>
    server.post(`${AWS}${path}`, (request, reply) => {
      const account = findAwsAccount(request, keys, service);
      if (typeof account === 'string') return serve(request, reply, target(request, account));
      return tellAwsFault(reply, account);
    });
  const modelOf = ({ params }: FastifyRequest) => (params as { id: string }).id;

  for (const [verb, mode] of [
    ['invoke', 'generate'],
    ['invoke-with-response-stream', 'stream'],
  ] as const)
    open(`/bedrock-runtime/model/:id/${verb}`, 'bedrock', (request, account) => ({
      format: anthropicMessages,
      model: modelOf(request),
      mode,
      array: false,
      door: invokeDoor(account, modelOf(request), mode, request.headers[TIER_HEADER]),
    }));
  for (const [verb, mode] of [
    ['converse', 'generate'],
    ['converse-stream', 'stream'],
  ] as const)
    open(`/bedrock-runtime/model/:id/${verb}`, 'bedrock', (request, account) => ({
      format: bedrockConverse,
      model: modelOf(request),
      mode,
      array: false,
      door: { account, ...ERRORS, ...(mode === 'stream' ? { frame: converseFrame } : {}) },
    }));
  open('/bedrock-runtime/model/:id/count-tokens', 'bedrock', (request, account) =>
    countTarget(request, account, modelOf(request)),
  );
  open('/bedrock-runtime/openai/v1/chat/completions', 'bedrock', (_request, account) =>
    ownTarget(openaiChat, account),
  );
  open('/bedrock-mantle/openai/v1/chat/completions', 'bedrock-mantle', (_request, account) =>
    ownTarget(openaiChat, account),
  );
  open('/bedrock-mantle/openai/v1/responses', 'bedrock-mantle', (_request, account) =>
    ownTarget(openaiResponses, account),
  );
  open('/bedrock-mantle/anthropic/v1/messages', 'bedrock-mantle', ({ headers }, account) => ({
    ...ownTarget(anthropicMessages, account),
    door: {
      account,
      unwrap(body) {
        refuseBetas(headers['anthropic-beta'], MANTLE_REFUSED);
        return body;
      },
    },
  }));
}

/** Carried as the vendor's own. */
const ownTarget = (format: Target['format'], account: string): Target => ({
  format,
  model: undefined,
  mode: 'generate',
  array: false,
  door: { account },
});

interface Fault {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export const tellAwsFault = (reply: FastifyReply, { status, type, message }: Fault): unknown =>
  reply.code(status).header('x-amzn-errortype', type).send({ message });

/** Who asks: with a Bedrock API key, or by a signature for this service. */
export function findAwsAccount(request: FastifyRequest, keys: AwsKeys, service: string): string | Fault {
  const { headers, method, url } = request;
  const key = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  if (key !== undefined) {
    return key === 'wrong'
      ? { status: 403, type: 'AccessDeniedException', message: 'Authentication failed: invalid API Key.' }
      : key;
  }
  const body = String(request.body ?? '');
  const verified = keys.verify({ method, url, headers, body }, [service]);
  return verified.ok ? (verified.account ?? '') : verified;
}

/** Anthropic's models by InvokeModel. */
const invokeDoor = (
  account: string,
  model: string,
  mode: 'generate' | 'stream',
  tier: unknown,
): CloudDoor => ({
  account,
  ...ERRORS,
  vendorHeaders: betasOf,
  unwrap(body) {
    if (tier !== undefined && !TIERS.includes(String(tier)))
      refuse(`Value at 'serviceTier' failed to satisfy constraint: [${TIERS.join(', ')}]`);
    const unwrapped = unwrapInvoke(body, model, mode === 'stream');
    return tier === undefined ? unwrapped : { ...unwrapped, service_tier: tier };
  },
  answerHeaders: ({ extras: { tier: served = 'standard' } }) => ({
    [TIER_HEADER]: served === 'standard' ? 'default' : served,
  }),
  whole: withoutTier,
  events: (events) =>
    events.map((event) => {
      const message = field(event.data, 'message');
      return isObject(message) ? { ...event, data: { ...event.data, message: withoutTier(message) } } : event;
    }),
  ...(mode === 'stream' ? { frame: invokeFrame } : {}),
});

/** What the vendor's rules look for in headers stands in the body there. */
const betasOf = (body: Json) => ({
  'anthropic-version': '2023-06-01',
  'anthropic-beta': list(body['anthropic_beta']).join(','),
});

function unwrapInvoke(body: Json, model: string, stream: boolean): Json {
  if (!/anthropic|claude/.test(model)) refuse('The provided model identifier is invalid.');
  const { anthropic_version: version, anthropic_beta: betas, ...rest } = body;
  if (!VERSION.test(String(version))) refuse(`anthropic_version: Input should be 'bedrock-2023-05-31'`);
  const extraneous = EXTRANEOUS.find((key) => rest[key] !== undefined);
  if (extraneous !== undefined)
    refuse(
      `Malformed input request: extraneous key [${extraneous}] is not permitted, please reformat your input and try again.`,
    );
  const hosted = list(rest['tools']).find((tool) => HOSTED.test(String(field(tool, 'type'))));
  if (hosted !== undefined)
    refuse(
      `tools.0: Input tag '${String(field(hosted, 'type'))}' found using 'type' does not match any of the expected tags`,
    );
  if (betas !== undefined && (!Array.isArray(betas) || betas.length === 0))
    refuse('anthropic_beta: Input should be a valid list');
  if (!list(betas).every((beta) => BEDROCK_BETAS.has(String(beta)))) refuse('invalid beta flag');
  return { ...rest, model, ...(stream ? { stream } : {}) };
}

/** Counts what would be invoked, or what Converse would be asked. */
function countTarget({ body }: FastifyRequest, account: string, model: string): Target {
  const input = field(parse(String(body ?? '')), 'input');
  const invoked = field(field(input, 'invokeModel'), 'body');
  const count = (inputTokens: number) => ({ inputTokens });
  const base = { model, mode: 'count', array: false } as const;
  const door = { account, ...ERRORS, count };
  if (typeof invoked !== 'string') {
    const unwrap = () => {
      const asked = field(input, 'converse');
      return isObject(asked) ? asked : refuse('input: exactly one member must be set');
    };
    return { ...base, format: bedrockConverse, door: { ...door, unwrap } };
  }
  const inner = parse(Buffer.from(invoked, 'base64').toString('utf8'));
  const unwrap = () => {
    if (!isObject(inner)) return refuse('input.invokeModel.body must hold a request');
    if (typeof inner['max_tokens'] !== 'number') refuse('max_tokens: Field required');
    const { max_tokens: _max, ...rest } = unwrapInvoke(inner, model, false);
    return rest;
  };
  const vendorHeaders = () => (isObject(inner) ? betasOf(inner) : {});
  return { ...base, format: anthropicMessages, door: { ...door, unwrap, vendorHeaders } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const INTERNAL = 'internalServerException';

/** The vendor's event, packed; the last one says what it cost once more. */
function invokeFrame({ name, data }: StreamEvent, json: string): Buffer {
  if (name === 'error')
    return encodeException(INTERNAL, JSON.stringify({ message: 'The simulator was told to break off.' }));
  const metrics = { inputTokenCount: 1, outputTokenCount: 1, invocationLatency: 12, firstByteLatency: 3 };
  const last = field(data, 'type') === 'message_stop';
  const event = last ? JSON.stringify({ ...data, 'amazon-bedrock-invocationMetrics': metrics }) : json;
  const payload = JSON.stringify({ bytes: Buffer.from(event).toString('base64'), p: 'abcdefgh' });
  return encodeFrame({ ':event-type': 'chunk', ...JSON_TYPE, ':message-type': 'event' }, payload);
}

const converseFrame = ({ name = '' }: StreamEvent, json: string): Buffer =>
  name === 'error'
    ? encodeException(INTERNAL, json)
    : encodeFrame({ ':event-type': name, ...JSON_TYPE, ':message-type': 'event' }, json);
