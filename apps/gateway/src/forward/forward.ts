import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Protocol } from '@tollgate/contracts';
import {
  encodeUpstreamBody,
  joinUpstreamUrl,
  type RelayError,
  upstreamPath,
  upstreamRequestHeaders,
} from '@tollgate/protocols';
import type { Candidate } from '../route/routing-table.ts';
import { firstByte, readWhole } from './body.ts';
import {
  type AttemptFailure,
  errorOfFailure,
  failureOf,
  isCallersFault,
  mayTryNext,
  retryAfterOf,
} from './failures.ts';
import { upstreamHeaders } from './headers.ts';

export interface OutgoingRequest {
  readonly protocol: Protocol;
  /** The operation of the protocol, such as `generate`, `stream` or `count`. */
  readonly action: Parameters<typeof upstreamPath>[1]['action'];
  readonly headers: IncomingHttpHeaders;
  /** The caller's query without the key. */
  readonly query: string;
  readonly body: Buffer;
  readonly model: string;
  readonly stream: boolean;
  /** The caller did not ask for usage in a Chat stream; the upstream is asked all the same. */
  readonly forceUsage: boolean;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface ForwardLimits {
  readonly answerLimitBytes: number;
  readonly patienceMs: number;
}

type UpstreamHeaders = Record<string, string | string[] | undefined>;

export type Forwarded =
  /** Bytes are coming (or the upstream is still thinking) and none of them is lost. */
  | {
      readonly kind: 'stream';
      readonly candidate: Candidate;
      readonly status: number;
      readonly headers: UpstreamHeaders;
      readonly body: Readable;
    }
  /** The whole answer. */
  | {
      readonly kind: 'answer';
      readonly candidate: Candidate;
      readonly status: number;
      readonly headers: UpstreamHeaders;
      readonly body: Buffer;
    }
  | { readonly kind: 'failed'; readonly error: RelayError }
  | { readonly kind: 'aborted' };

type Attempt = Extract<Forwarded, { kind: 'stream' | 'answer' }> | AttemptFailure;

/**
 * Sends a request to the first candidate that answers. As long as the caller has received nothing, the next one
 * is tried after a failure; each candidate once, or twice when it closed a kept connection under the request.
 */
export async function forward(
  candidates: readonly Candidate[],
  request: OutgoingRequest,
  limits: ForwardLimits,
): Promise<Forwarded> {
  const headers = upstreamHeaders(request.headers);
  let failure: AttemptFailure = { kind: 'connect' };
  for (const candidate of candidates) {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const result = await tryOne(candidate, request, headers, limits);
      if (request.signal.aborted) {
        if (result.kind === 'stream') result.body.destroy();
        return { kind: 'aborted' };
      }
      if (result.kind === 'stream' || result.kind === 'answer') return result;
      failure = result;
      if (!mayTryNext(failure)) return { kind: 'failed', error: errorOfFailure(failure) };
      if (failure.kind !== 'reset') break;
    }
  }
  return { kind: 'failed', error: errorOfFailure(failure) };
}

async function tryOne(
  candidate: Candidate,
  request: OutgoingRequest,
  headers: Record<string, string>,
  limits: ForwardLimits,
): Promise<Attempt> {
  const { client, upstreamModel } = candidate;
  const mapped = upstreamModel === request.model ? undefined : upstreamModel;
  const path = upstreamPath(request.protocol, { model: upstreamModel, action: request.action });
  const url = new URL(joinUpstreamUrl(client.upstream.base_url, path));
  for (const [name, value] of new URLSearchParams(request.query)) url.searchParams.set(name, value);
  try {
    const answer = await client.pool.request({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: upstreamRequestHeaders(request.protocol, headers, client.credential),
      body: encodeUpstreamBody(request.protocol, request.body, {
        ...(mapped === undefined ? {} : { model: mapped }),
        ...(request.forceUsage ? { includeUsage: true } : {}),
      }),
      signal: request.signal,
    });
    return await readAnswer(candidate, request, answer, limits);
  } catch (error) {
    return failureOf(error);
  }
}

async function readAnswer(
  candidate: Candidate,
  request: OutgoingRequest,
  answer: { statusCode: number; headers: UpstreamHeaders; body: Readable },
  limits: ForwardLimits,
): Promise<Attempt> {
  const { statusCode: status, headers, body } = answer;
  const success = status >= 200 && status < 300;
  if (!success && !isCallersFault(status)) {
    // Reading it to the end keeps the connection for the next request.
    body.resume();
    body.on('error', () => {});
    return { kind: 'status', status, retryAfterMs: retryAfterOf(headers) };
  }
  if (success && request.stream && isStreamed(headers, request)) {
    const state = await firstByte(body, limits.patienceMs);
    return state === 'empty' ? { kind: 'garbage' } : { kind: 'stream', candidate, status, headers, body };
  }
  const whole = await readWhole(body, limits.answerLimitBytes);
  return isJson(whole) ? { kind: 'answer', candidate, status, headers, body: whole } : { kind: 'garbage' };
}

/** Some upstreams answer a stream request with one JSON body, an error for instance: that is no stream. */
function isStreamed(headers: UpstreamHeaders, request: OutgoingRequest): boolean {
  const type = String(headers['content-type'] ?? '');
  return type.includes('text/event-stream') || (request.protocol === 'gemini' && type.includes('json'));
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
