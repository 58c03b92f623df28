import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { assertPublicHost } from '@tollgate/platform';
import { upstreamLookup } from '@tollgate/platform/upstream-connector';
import type { RelayError } from '@tollgate/protocols';
import { type ClientOptions, WebSocket } from 'ws';
import { type AttemptFailure, toAttemptFailure } from '../forward/failures.ts';
import { convertedHeaders } from '../forward/headers.ts';
import { HOPS_HEADER } from '../forward/hops.ts';
import { computeWait, createQueue } from '../forward/queue.ts';
import { readRetryAfterMs } from '../forward/retry-after.ts';
import { toCallerError, toFailureOutcome, toStatusOutcome } from '../forward/status-policy.ts';
import type { Candidate } from '../route/candidates.ts';
import { inOrder } from '../route/route.ts';
import { findUpstreamTarget } from '../upstreams/upstream-target.ts';

/** Of one message of an upstream. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const MAX_OPENING_MS = 15_000;

/** A session at an upstream. It reads nothing until it is resumed. */
export interface UpstreamSession {
  readonly candidate: Candidate;
  readonly socket: WebSocket;
  /** It broke off in the middle of something. To be said before `end`. */
  broke(): void;
  end(): void;
}

type Connected =
  | { readonly ok: true; readonly session: UpstreamSession }
  | { readonly ok: false; readonly error: RelayError };

/** What it is where nobody could be asked. */
const NOBODY: AttemptFailure = { kind: 'connect' };

interface Asking {
  readonly headers: IncomingHttpHeaders;
  readonly passHeaders: ReadonlySet<string>;
  /** The deployments that it has come through, with this one. */
  readonly hops: string;
  readonly keyId: string;
  /** The client is there. */
  readonly isThere: () => boolean;
}

/** Opens a session at the first candidate that takes one, in the order of their pool. */
export async function connectUpstream(candidates: readonly Candidate[], asking: Asking): Promise<Connected> {
  const pool = candidates[0]?.pool;
  if (!pool) return { ok: false, error: toCallerError(NOBODY) };
  const sticky = { keyId: asking.keyId, prompt: () => '' };
  const queue = createQueue(candidates, (some) => inOrder(some, sticky), true);
  let failure: AttemptFailure | undefined;
  for (let tries = 0; tries < pool.attempts && asking.isThere(); tries += 1) {
    const candidate = queue.next();
    if (!candidate) break;
    if (computeWait(candidate, 0) === 'too long') {
      failure ??= { kind: 'status', status: 429, retryAfterMs: undefined };
      continue;
    }
    const opened = await open(candidate, asking);
    if ('socket' in opened) return { ok: true, session: opened };
    failure = opened;
    queue.failed(candidate, opened);
  }
  return { ok: false, error: toCallerError(failure ?? NOBODY) };
}

async function open(candidate: Candidate, asking: Asking): Promise<UpstreamSession | AttemptFailure> {
  const tracked = candidate.target.begin();
  const beganAt = performance.now();
  let answer: Answer;
  try {
    answer = await ask(candidate, asking);
  } catch (error) {
    answer = { failure: toAttemptFailure(error) };
  }
  const elapsedMs = performance.now() - beganAt;
  if ('socket' in answer) {
    tracked.record({ kind: 'answered', firstByteMs: elapsedMs });
    return { candidate, socket: answer.socket, broke: tracked.broke, end: tracked.end };
  }
  const { failure } = answer;
  tracked.record(
    failure.kind === 'status'
      ? toStatusOutcome(failure.status, {}, Date.now(), elapsedMs)
      : toFailureOutcome(failure, elapsedMs),
  );
  tracked.end();
  return failure;
}

type Answer = { readonly socket: WebSocket } | { readonly failure: AttemptFailure };

/** A proof that has just ended is no reason to ask somebody else. */
async function ask(candidate: Candidate, asking: Asking, isAgain = false): Promise<Answer> {
  const { client, credential, protocol, upstreamModel: model } = candidate;
  const { upstream, origin, setHeaders } = client;
  const query = `model=${encodeURIComponent(model)}`;
  const path = findUpstreamTarget(upstream, { protocol, action: 'realtime', model, query });
  const headers: Record<string, string> = {
    ...convertedHeaders(asking.headers, asking.passHeaders, '*/*'),
    ...setHeaders,
    [HOPS_HEADER]: asking.hops,
  };
  for (const name of OF_BODIES) delete headers[name];
  const sent = await credential.auth.applyAuth({
    method: 'GET',
    origin,
    path,
    protocol,
    headers,
    body: undefined,
  });
  const policy = { allowPrivate: upstream.allow_private_addresses };
  const { hostname } = new URL(origin);
  assertPublicHost(hostname, policy);
  // Its types do not know all of what it hands on to Node.
  const options: ClientOptions & { readonly lookup: LookupFunction } = {
    headers: sent,
    lookup: upstreamLookup(policy),
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: Math.min(upstream.first_byte_timeout_ms, MAX_OPENING_MS),
  };
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${path}`, options);
  const refused = await untilOpen(socket);
  if (!refused) return { socket };
  const { statusCode: status = 502, headers: answered } = refused;
  refused.resume();
  socket.terminate();
  const renews = !isAgain && (await credential.auth.renew?.({ status, headers: answered, sent }));
  if (renews) return ask(candidate, asking, true);
  return {
    failure: { kind: 'status', status, retryAfterMs: readRetryAfterMs(answered, Date.now()) },
  };
}

const OF_BODIES = ['content-type', 'accept', 'accept-encoding'];

/** @returns the answer where it is no WebSocket. @throws where none came. */
async function untilOpen(socket: WebSocket): Promise<IncomingMessage | undefined> {
  const refusal = Promise.withResolvers<IncomingMessage>();
  socket.once('unexpected-response', (_request, response) => refusal.resolve(response));
  // What is said at once waits until somebody listens.
  socket.once('open', () => socket.pause());
  const opened = once(socket, 'open').then(() => undefined);
  const answer = await Promise.race([opened, refusal.promise]);
  opened.catch(() => {});
  socket.on('error', () => {});
  return answer;
}
