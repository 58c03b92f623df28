import type { Readable } from 'node:stream';
import type { AnswerPlan, RelayError, StreamFraming } from '@tollgate/protocols';
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
import { type OutgoingRequest, prepare, type Prepared } from './prepare.ts';

export interface ForwardLimits {
  readonly answerLimitBytes: number;
  readonly patienceMs: number;
}

type UpstreamHeaders = Record<string, string | string[] | undefined>;

interface Answered {
  readonly candidate: Candidate;
  readonly status: number;
  readonly headers: UpstreamHeaders;
  /** How the upstream cut its answer. */
  readonly framing: StreamFraming;
  /** Undefined where the answer is passed on as it is. */
  readonly plan: AnswerPlan | undefined;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
}

export type Forwarded =
  /** Bytes are coming (or the upstream is still thinking) and none of them is lost. */
  | (Answered & { readonly kind: 'stream'; readonly body: Readable })
  /** The whole answer; `framing` tells when it is a stream that was read to its end. */
  | (Answered & { readonly kind: 'answer'; readonly body: Buffer })
  | { readonly kind: 'failed'; readonly error: RelayError }
  | { readonly kind: 'aborted' };

type Attempt = Extract<Forwarded, { kind: 'stream' | 'answer' }> | AttemptFailure;
type Sendable = Extract<Prepared, { ok: true }>;

/**
 * Sends a request to the first candidate that answers. As long as the caller has received nothing, the next one
 * is tried after a failure, or when the request cannot be carried to this one; each candidate once, or twice when it
 * closed a kept connection under the request.
 */
export async function forward(
  candidates: readonly Candidate[],
  request: OutgoingRequest,
  limits: ForwardLimits,
): Promise<Forwarded> {
  let error: RelayError | undefined;
  for (const candidate of candidates) {
    const prepared = prepare(candidate, request);
    if (!prepared.ok) {
      error ??= prepared.error;
      continue;
    }
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const result = await tryOne(candidate, request, prepared, limits);
      if (request.signal.aborted) {
        if (result.kind === 'stream') result.body.destroy();
        return { kind: 'aborted' };
      }
      if (result.kind === 'stream' || result.kind === 'answer') return result;
      error = errorOfFailure(result);
      if (!mayTryNext(result)) return { kind: 'failed', error };
      if (result.kind !== 'reset') break;
    }
  }
  return { kind: 'failed', error: error ?? errorOfFailure({ kind: 'connect' }) };
}

async function tryOne(
  candidate: Candidate,
  request: OutgoingRequest,
  prepared: Sendable,
  limits: ForwardLimits,
): Promise<Attempt> {
  try {
    const answer = await candidate.client.pool.request({
      method: 'POST',
      path: prepared.path,
      headers: prepared.headers,
      body: prepared.body,
      signal: request.signal,
    });
    return await readAnswer(candidate, request, prepared, answer, limits);
  } catch (error) {
    return failureOf(error);
  }
}

async function readAnswer(
  candidate: Candidate,
  request: OutgoingRequest,
  { plan, dropped, emulated }: Sendable,
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
  const framing = success ? framingOf(candidate, headers, request.stream) : 'none';
  const answered = { candidate, status, headers, framing, plan, dropped, emulated };
  if (request.stream && framing !== 'none') {
    const state = await firstByte(body, limits.patienceMs);
    return state === 'empty' ? { kind: 'garbage' } : { kind: 'stream', ...answered, body };
  }
  const whole = await readWhole(body, limits.answerLimitBytes);
  if (framing !== 'none') return { kind: 'answer', ...answered, body: whole };
  if (!isJson(whole)) return { kind: 'garbage' };
  const isArray =
    success && candidate.protocol === 'gemini' && /^\s*\[/.test(whole.toString('latin1', 0, 20));
  return { kind: 'answer', ...answered, framing: isArray ? 'json-array' : 'none', body: whole };
}

/** Upstreams exist that answer a stream request with one JSON body, and the other way round: their word counts. */
function framingOf({ protocol }: Candidate, headers: UpstreamHeaders, stream: boolean): StreamFraming {
  const type = String(headers['content-type'] ?? '');
  if (type.includes('text/event-stream')) return 'sse';
  return protocol === 'gemini' && stream && type.includes('json') ? 'json-array' : 'none';
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
