import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BackgroundResponses } from '../background-responses.ts';
import { anthropicMessages } from '../formats/anthropic-messages.ts';
import type { Format, StreamEvent } from '../formats/format.ts';
import { openaiChat } from '../formats/openai-chat.ts';
import { openaiResponses } from '../formats/openai-responses.ts';
import { isObject, type Json, list } from '../question.ts';
import { type Refusal, Refused } from '../rules/rule.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import { FOUNDRY_REFUSED, refuseBetas } from './betas.ts';
import type { Serve, Target } from './door.ts';

/** Where the simulated Azure stands below the simulator's address. */
const AZURE = '/azure';

/** Keys of the simulated Azure begin with this. */
const KEY = 'azkey-';
const SCOPES = ['https://cognitiveservices.azure.com', 'https://ai.azure.com'];
/** A prompt with this in it is refused by the content filter. */
const FILTERED = '[[content filter]]';

const classicError = (code: string, message: string) => ({ error: { code, message } });
const NOT_FOUND = classicError('404', 'Resource not found');

/** Adds the doors of Azure: v1, classic with deployments and versions in the address, and Anthropic's on Foundry. */
export function addAzureDoors(
  server: FastifyInstance,
  serve: Serve,
  tokens: BearerTokens,
  background: BackgroundResponses,
): void {
  const v1 = (path: string, format: Format, mode: Target['mode'] = 'generate') =>
    server.post(`${AZURE}/openai/v1${path}`, (request, reply) => {
      const version = (request.query as Record<string, string | undefined>)['api-version'] ?? 'v1';
      if (!['v1', 'preview', 'latest'].includes(version))
        return reply.code(400).send(classicError('BadRequest', 'API version not supported'));
      const account = findAccount(request, tokens, { bearerKeys: true });
      if (account === undefined) return unauthorized(reply);
      return serve(request, reply, openaiTarget(format, account, { mode, refuse: refuseLater }));
    });
  v1('/chat/completions', openaiChat);
  v1('/responses', openaiResponses);
  v1('/responses/input_tokens', openaiResponses, 'count');
  background.serve(server, `${AZURE}/openai/v1/responses`, (request) =>
    findAccount(request, tokens, { bearerKeys: true }),
  );

  const classic = (path: string, format: Format) =>
    server.post(`${AZURE}/openai/${path}`, (request, reply) => {
      const fault = classicFault(request);
      if (fault) return reply.code(fault.status).send(fault.body);
      const account = findAccount(request, tokens, { bearerKeys: false });
      if (account === undefined) return unauthorized(reply);
      const { deployment } = request.params as { deployment?: string };
      const refuse = (body: Json) => refuseUnknown(body, request);
      return serve(request, reply, openaiTarget(format, account, { deployment, refuse }));
    });
  classic('deployments/:deployment/chat/completions', openaiChat);
  classic('responses', openaiResponses);

  for (const path of ['/openai/models', '/openai/v1/models']) {
    server.get(`${AZURE}${path}`, (request, reply) => {
      const fault = path.includes('/v1/') ? undefined : classicFault(request);
      if (fault) return reply.code(fault.status).send(fault.body);
      if (findAccount(request, tokens, { bearerKeys: path.includes('/v1/') }) === undefined)
        return unauthorized(reply);
      return { object: 'list', data: [] };
    });
  }

  for (const [path, mode] of [
    ['/v1/messages', 'generate'],
    ['/v1/messages/count_tokens', 'count'],
  ] as const) {
    server.post(`${AZURE}/anthropic${path}`, (request, reply) => {
      const account = findAccount(request, tokens, { bearerKeys: false, header: 'x-api-key' });
      if (account === undefined) return unauthorized(reply);
      const door = {
        account,
        headers: requestId(),
        unwrap(body: Json) {
          refuseBetas(request.headers['anthropic-beta'], FOUNDRY_REFUSED);
          return body;
        },
      };
      return serve(request, reply, { format: anthropicMessages, model: undefined, mode, array: false, door });
    });
  }
}

/** What Chat Completions of the last stable version know; a version that was still a preview is newer. */
const STABLE = '2024-10-21';
const STABLE_MEMBERS = new Set(
  `messages data_sources frequency_penalty logit_bias logprobs top_logprobs max_tokens n parallel_tool_calls presence_penalty
  response_format seed stop stream stream_options temperature top_p tools tool_choice function_call functions user
  model`.split(/\s+/),
);

const invalid = (message: string): Refused =>
  new Refused({
    status: 400,
    message,
    body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
  });

/** @throws Refused for Chat Completions of the classic address. */
function refuseUnknown(body: Json, { query, url }: FastifyRequest): void {
  const { 'api-version': version } = query as Record<string, string | undefined>;
  if (version !== STABLE || !url.includes('/chat/completions')) return;
  const unknown = Object.keys(body).find((name) => !STABLE_MEMBERS.has(name));
  if (unknown !== undefined) throw invalid(`Unrecognized request argument supplied: ${unknown}`);
}

/** @throws Refused for what OpenAI has and Azure has not. */
function refuseLater({ prompt_cache_retention: retention }: Json): void {
  if (retention !== undefined) throw invalid('prompt_cache_retention is not supported on this model');
}

const requestId = () => ({ 'apim-request-id': 'sim-apim-request' });

const unauthorized = (reply: FastifyReply) =>
  reply
    .code(401)
    .headers(requestId())
    .send(
      classicError(
        '401',
        'Access denied due to invalid subscription key, or the access token is missing, has expired, or is for another audience.',
      ),
    );

/** Versions are dates in the classic address, and none goes without. */
function classicFault({ query }: FastifyRequest): { status: number; body: object } | undefined {
  const version = (query as Record<string, string | undefined>)['api-version'];
  if (version === undefined) return { status: 404, body: NOT_FOUND };
  return /^20\d\d-\d\d-\d\d(-preview)?$/.test(version)
    ? undefined
    : { status: 400, body: classicError('BadRequest', 'API version not supported') };
}

function findAccount(
  { headers }: FastifyRequest,
  tokens: BearerTokens,
  { bearerKeys, header = 'api-key' }: { readonly bearerKeys: boolean; readonly header?: string },
): string | undefined {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  const key = headers[header] ?? (bearerKeys ? bearer : undefined);
  if (typeof key === 'string' && key.startsWith(KEY)) return key;
  const token = tokens.find(headers.authorization, 'azure');
  return token && SCOPES.some((scope) => token.scope.startsWith(scope)) ? token.account : undefined;
}

/** In the classic address the deployment is the model, whatever the body says. */
const openaiTarget = (
  format: Format,
  account: string,
  {
    deployment,
    mode = 'generate',
    refuse,
  }: {
    readonly deployment?: string | undefined;
    readonly mode?: Target['mode'];
    readonly refuse: (body: Json) => void;
  },
): Target => ({
  format,
  model: deployment,
  mode,
  array: false,
  door: {
    account,
    headers: requestId(),
    unwrap(body) {
      if (JSON.stringify(body).includes(FILTERED)) throw new Refused(filteredPrompt());
      refuse(body);
      return deployment === undefined ? body : { ...body, model: deployment };
    },
    ...(format === openaiChat ? { whole: withFilterResults, events: withFilterChunks } : {}),
  },
});

const SAFE = {
  hate: { filtered: false, severity: 'safe' },
  self_harm: { filtered: false, severity: 'safe' },
  sexual: { filtered: false, severity: 'safe' },
  violence: { filtered: false, severity: 'safe' },
};
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: SAFE }];

const filteredPrompt = (): Refusal => ({
  status: 400,
  message: 'filtered',
  body: {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: { ...SAFE, violence: { filtered: true, severity: 'medium' } },
      },
    },
  },
});

const withFilterResults = (whole: Json): object => ({
  ...whole,
  prompt_filter_results: PROMPT_RESULTS,
  choices: list(whole['choices']).map((choice) =>
    isObject(choice) ? { ...choice, content_filter_results: SAFE } : choice,
  ),
});

/** What was found in the prompt comes first, in a chunk without a choice; of the answer, late, in one without a delta. */
function withFilterChunks(events: readonly StreamEvent[]): StreamEvent[] {
  const bare = { id: '', object: '', created: 0, model: '' };
  const first = { data: { ...bare, choices: [], prompt_filter_results: PROMPT_RESULTS } };
  const late = {
    data: {
      ...bare,
      choices: [
        {
          index: 0,
          finish_reason: null,
          content_filter_results: SAFE,
          content_filter_offsets: { check_offset: 0, start_offset: 0, end_offset: 10 },
        },
      ],
    },
  };
  return [first, ...events, late];
}
