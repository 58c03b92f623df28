import type { KeyRecord } from '@tollgate/contracts';
import { API_ANSWER } from '@tollgate/platform';
import {
  createAnswerWrapper,
  createResponseRewriter,
  relayError,
  type RelayError,
  upstreamErrorMessage,
} from '@tollgate/protocols';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admit } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { readRetryAfterMs } from '../forward/retry-after.ts';
import { textWithoutSecrets, withoutSecrets } from '../forward/secrets.ts';
import { findStatusPolicy, meansGone, toCallerError } from '../forward/status-policy.ts';
import { splitQuery } from '../front-door/query.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { sendAnswer } from '../relay/send-answer.ts';
import { sendError } from '../relay/send-error.ts';
import { askUpstream, findPlace, type KeptAnswerAction, type UpstreamSays } from './ask-upstream.ts';
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
  const refuse = (error: RelayError): void =>
    sendError(request.raw, reply.raw, PROTOCOL, error, request.id, headers);

  const { headers: sent, ip: clientAddress } = request;
  const authenticated = await authenticate(deps, { headers: sent, queryKey, clientAddress });
  if (!authenticated.ok) return refuse(authenticated.error);
  const loop = deps.hops.refusal(sent);
  if (loop) return refuse(loop);
  const { key } = authenticated;
  const table = deps.table();
  if (!table) return refuse(NO_PRICES);
  const admitted = await admit(deps, table, { clientAddress, key, protocol: PROTOCOL, tokens: 0 });
  headers = rateHeaders(PROTOCOL, admitted.buckets);
  if (!admitted.ok) return refuse(admitted.error);
  const asked = { id, action, query, hops: deps.hops.next(sent) };
  const answered = await answer(deps, key, asked).catch(() => ({ ok: false as const, error: AWAY }));
  if (!answered.ok) return refuse(answered.error);
  const named = { 'x-request-id': request.id, 'request-id': request.id };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  await sendAnswer(reply.raw, 200, { ...headers, ...API_ANSWER, ...type, ...named }, answered.body);
}

type Answered =
  { readonly ok: true; readonly body: Buffer } | { readonly ok: false; readonly error: RelayError };

interface Asked {
  /** As its account knows it. */
  readonly id: string;
  readonly action: KeptAnswerAction;
  readonly query: string;
  readonly hops: string;
}

/** @throws while billing does not answer. */
async function answer(
  { backgroundJobs: jobs, storedIds, table, limits }: RelayDependencies,
  { account_id: account }: KeyRecord,
  { id, action, query, hops }: Asked,
): Promise<Answered> {
  const refuse = (error: RelayError): Answered => ({ ok: false, error });
  const opened = storedIds.unwrap(id, account);
  if (!opened) return refuse(notFound(id));
  const job = { place: opened.place, response_id: opened.id };
  const found = await jobs.find(account, job);
  const place = findPlace(table(), opened.place);
  if (!found || !place) return refuse(notFound(id));
  const params = new URLSearchParams(query);
  if (params.get('stream') === 'true') return refuse(NO_STREAM);
  // What is deleted could not be billed any more.
  if (action === 'delete' && !found.is_ended) {
    await jobs.find(account, job, true);
    return refuse(UNDER_WAY);
  }

  const passed = new URLSearchParams([...params].filter(([name]) => PASSED.has(name))).toString();
  const options = { limitBytes: limits.answerLimitBytes, hops, query: passed };
  const said = await askUpstream(place, job, action, options).catch(() => undefined);
  if (!said) return refuse(toCallerError({ kind: 'connect' }));
  const { credential } = place;
  if (said.status >= 300) {
    const hide = (words: string) => textWithoutSecrets(words, credential).replaceAll(opened.id, () => id);
    return refuse(meansGone(said.status) ? notFound(id) : toRefusal(said, hide));
  }
  if (action === 'delete') {
    return { ok: true, body: Buffer.from(JSON.stringify({ id, object: 'response', deleted: true })) };
  }
  // The poller meters it, and need not wait any longer.
  if (!found.is_ended && readJobStatus(said.json).kind === 'over') await jobs.find(account, job, true);
  const rewriter = createResponseRewriter(PROTOCOL, {
    stream: 'none',
    ...(found.model === found.upstream_model ? {} : { model: found.model }),
    wrap: createAnswerWrapper(PROTOCOL, storedIds, { account, place: opened.place }),
  });
  const parts = [rewriter.push(said.body), rewriter.end()].filter((part) => part !== undefined);
  return { ok: true, body: withoutSecrets(Buffer.concat(parts), credential) };
}

const PASSED = new Set(['include', 'include[]', 'include_obfuscation']);

/** The words of OpenAI. */
const notFound = (id: string): RelayError =>
  relayError(
    'not_found',
    `Response with id '${id.slice(0, 200)}' not found. Only answers that were asked for with \`background: true\` can be fetched, by the account that asked for them, while their upstream keeps them.`,
  );

const NO_STREAM = relayError(
  'unsupported',
  'stream: answers that go on after their requests are not streamed. Leave it out, and ask again until the status is neither queued nor in_progress.',
  { param: 'stream' },
);

const UNDER_WAY = relayError(
  'invalid_request',
  'The answer is still under way, or not billed yet. Cancel it first, or try again in some seconds.',
);

const NO_PRICES = relayError('unavailable', 'Prices are not loaded yet. Try again shortly.', {
  retryAfterMs: 1_000,
});

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
