import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { KeyRecord } from '@tollgate/contracts';
import { createMeter } from '@tollgate/metering';
import {
  createAnswerWrapper,
  createResponseRewriter,
  relayError,
  type RelayError,
  type ResponseRewriter,
  upstreamErrorMessage,
} from '@tollgate/protocols';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admit } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { readRetryAfterMs } from '../forward/retry-after.ts';
import { hidingRewriter, textWithoutSecrets } from '../forward/secrets.ts';
import { findStatusPolicy, meansGone, toCallerError } from '../forward/status-policy.ts';
import { splitQuery } from '../front-door/query.ts';
import { apiAnswerHeaders } from '../front-door/request-id.ts';
import { watchResumable } from '../relay/departures.ts';
import { streamType } from '../relay/early-stream.ts';
import { NO_PRICES } from '../relay/not-ready.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { sendAnswer } from '../relay/send-answer.ts';
import { sendError } from '../relay/send-error.ts';
import { sendStream } from '../relay/send-stream.ts';
import { rewrite } from '../relay/shaped.ts';
import { logStreamFailure } from '../telemetry/stream-failure.ts';
import {
  askUpstream,
  findPlace,
  type KeptAnswerAction,
  openStream,
  type UpstreamSays,
} from './ask-upstream.ts';
import { readJobStatus } from './job-status.ts';

const PROTOCOL = 'openai-responses';

/** What becomes of an answer that was asked for with `background: true`: its account may see, cancel and delete it. */
export function responseRoutes(fastify: FastifyInstance, deps: RelayDependencies): void {
  void fastify.register((routes, _options, done) => {
    // A cancellation has no body that says anything.
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    const serve = (action: KeptAnswerAction) => (request: FastifyRequest, reply: FastifyReply) =>
      handle(request, reply, action, deps);
    routes.get('/v1/responses/:id', serve('show'));
    routes.post('/v1/responses/:id/cancel', serve('cancel'));
    routes.delete('/v1/responses/:id', serve('delete'));
    done();
  });
}

async function handle(
  request: FastifyRequest,
  reply: FastifyReply,
  action: KeptAnswerAction,
  deps: RelayDependencies,
): Promise<void> {
  const { query, key: queryKey } = splitQuery(request.url);
  const { id } = request.params as { readonly id: string };
  reply.hijack();
  let headers: Record<string, string> = {};
  const exchange = {
    incoming: request.raw,
    response: reply.raw,
    protocol: PROTOCOL,
    requestId: request.id,
  } as const;
  const refuse = (error: RelayError): void => sendError(exchange, error, headers);

  const { headers: sent, ip: clientAddress } = request;
  const authenticated = await authenticate(deps, { headers: sent, queryKey, clientAddress });
  if (!authenticated.ok) return refuse(authenticated.error);
  const loop = deps.hops.refusal(sent);
  if (loop) return refuse(loop);
  const { key } = authenticated;
  const table = deps.table();
  if (!table) return refuse(NO_PRICES);
  const params = new URLSearchParams(query);
  const lasts = action === 'show' && params.get('stream') === 'true';
  const admitted = await admit(deps, table, { clientAddress, key, protocol: PROTOCOL, tokens: 0, lasts });
  headers = rateHeaders(PROTOCOL, admitted.buckets);
  if (!admitted.ok) return refuse(admitted.error);
  using _admission = { [Symbol.dispose]: () => admitted.settle(null) };
  const asked = { id, action: lasts ? 'stream' : action, params, hops: deps.hops.next(sent) } as const;
  const answered = await answer(deps, key, asked).catch(() => ({ ok: false as const, error: AWAY }));
  if (!answered.ok) return refuse(answered.error);
  const named = { ...headers, ...apiAnswerHeaders(request.id) };
  if ('stream' in answered)
    return await sendRest(deps, { id: request.id, response: reply.raw }, answered, named);
  const type = { 'content-type': 'application/json; charset=utf-8' };
  await sendAnswer(reply.raw, 200, { ...named, ...type }, answered.body);
}

type Answered =
  | { readonly ok: true; readonly body: Buffer }
  | RestOfStream
  | { readonly ok: false; readonly error: RelayError };

/** A stream that its client has come back for. */
interface RestOfStream {
  readonly ok: true;
  readonly stream: Readable;
  readonly rewriter: ResponseRewriter;
  /** Has the job billed soon. */
  readonly makeDue: () => Promise<void>;
}

interface Asked {
  /** As its account knows it. */
  readonly id: string;
  readonly action: KeptAnswerAction | 'stream';
  readonly params: URLSearchParams;
  readonly hops: string;
}

/** @throws while billing does not answer. */
async function answer(
  { backgroundJobs: jobs, storedIds, table, limits }: RelayDependencies,
  { account_id: account }: KeyRecord,
  { id, action, params, hops }: Asked,
): Promise<Answered> {
  const refuse = (error: RelayError): Answered => ({ ok: false, error });
  const opened = storedIds.unwrap(id, account);
  if (!opened) return refuse(notFound(id));
  const job = { place: opened.place, response_id: opened.id };
  const found = await jobs.find(account, job);
  const place = findPlace(table(), opened.place);
  if (!found || !place) return refuse(notFound(id));
  const makeDue = async () => void (found.is_ended || (await jobs.find(account, job, true)));
  // What is deleted could not be billed any more.
  if (action === 'delete' && !found.is_ended) {
    await makeDue();
    return refuse(UNDER_WAY);
  }

  const names = action === 'stream' ? [...PASSED, ...PASSED_OF_STREAMS] : PASSED;
  const passed = new URLSearchParams([...params].filter(([name]) => names.includes(name))).toString();
  const options = { limitBytes: limits.answerLimitBytes, hops, query: passed };
  const asking =
    action === 'stream' ? openStream(place, job, options) : askUpstream(place, job, action, options);
  const said = await asking.catch(() => undefined);
  if (!said) return refuse(toCallerError({ kind: 'connect' }));
  const { credential } = place;
  const rewriter = hidingRewriter(
    createResponseRewriter(PROTOCOL, {
      stream: said instanceof Readable ? 'sse' : 'none',
      ...(found.model === found.upstream_model ? {} : { model: found.model }),
      wrap: createAnswerWrapper(PROTOCOL, storedIds, { account, place: opened.place }),
    }),
    credential,
  );
  if (said instanceof Readable) return { ok: true, stream: said, rewriter, makeDue };
  if (said.status >= 300) {
    const hide = (words: string) => textWithoutSecrets(words, credential).replaceAll(opened.id, () => id);
    return refuse(meansGone(said.status) ? notFound(id) : toRefusal(said, hide));
  }
  if (action === 'delete') {
    return { ok: true, body: Buffer.from(JSON.stringify({ id, object: 'response', deleted: true })) };
  }
  // The poller meters it, and need not wait any longer.
  if (readJobStatus(said.json).kind === 'over') await makeDue();
  return { ok: true, body: rewrite(rewriter, said.body) };
}

const PASSED = ['include', 'include[]', 'include_obfuscation'];
const PASSED_OF_STREAMS = ['stream', 'starting_after'];

/** Sends the rest of a stream as it comes. Nobody meters it. */
async function sendRest(
  { limits: { keepAliveMs, eventLimitBytes, answerLimitBytes }, telemetry }: RelayDependencies,
  { id, response }: { readonly id: string; readonly response: ServerResponse },
  { stream, rewriter, makeDue }: RestOfStream,
  headers: Record<string, string>,
): Promise<void> {
  if (!response.destroyed) {
    response.writeHead(200, { ...headers, 'content-type': streamType('sse'), 'x-accel-buffering': 'no' });
    response.flushHeaders();
  }
  await sendStream(response, stream, {
    protocol: PROTOCOL,
    framing: 'sse',
    rewriter,
    meter: createMeter(PROTOCOL, { stream: 'sse', requestEstimate: 0 }),
    keepAliveMs,
    eventLimitBytes,
    keptLimitBytes: answerLimitBytes,
    departure: watchResumable(response),
    onFirstByte: () => {},
    onFailed: (thrown) => logStreamFailure(telemetry.logger, id, thrown),
    beforeEnd: async ({ read }) => {
      if (read !== 'given_up') await makeDue().catch(() => {});
    },
  });
}

/** The words of OpenAI. */
const notFound = (id: string): RelayError =>
  relayError(
    'not_found',
    `Response with id '${id.slice(0, 200)}' not found. Only answers that were asked for with \`background: true\` can be fetched, by the account that asked for them, while their upstream keeps them.`,
  );

const UNDER_WAY = relayError(
  'invalid_request',
  'The answer is still under way, or not billed yet. Cancel it first, or try again in some seconds.',
);

const AWAY = relayError('unavailable', 'Answers cannot be looked up at the moment. Try again shortly.', {
  retryAfterMs: 1_000,
});

function toRefusal({ status, headers, body }: UpstreamSays, hide: (words: string) => string): RelayError {
  const { callersFault } = findStatusPolicy(status);
  if (!callersFault) {
    const retryAfterMs = readRetryAfterMs(headers, Date.now());
    return toCallerError({ kind: 'status', status, retryAfterMs });
  }
  const words =
    upstreamErrorMessage(PROTOCOL, body) ?? `The upstream refused the request with status ${status}.`;
  return relayError('invalid_request', hide(words));
}
