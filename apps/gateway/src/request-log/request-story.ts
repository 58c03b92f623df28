import {
  CLIENT_LEFT,
  type KeyRecord,
  RECORD_LIMITS,
  type RequestAttempt,
  type RequestRecord,
} from '@tollgate/contracts';
import { ERROR_KINDS, type RelayError } from '@tollgate/protocols';
import type { ClientProtocol, OtherOperation } from '@tollgate/vocabulary';
import type { AttemptResult } from '../forward/attempt.ts';
import type { Candidate } from '../route/candidates.ts';
import type { RequestLog } from './request-log.ts';
import { toLogWords } from './words.ts';

/** What an upstream refused in its own words. */
const UPSTREAM_REFUSED = 'upstream_refused';

/** Gathers what is known of one request until it ends. */
interface RequestStory {
  authenticated(key: Pick<KeyRecord, 'account_id' | 'key_id'>): void;
  received(request: { readonly model: string; readonly stream: boolean }): void;
  limited(by: string): void;
  refused(error: RelayError): void;
  /** An upstream refused the request, with a status that is passed on. */
  refusedUpstream(status: number, words: string | undefined): void;
  /** @returns takes what became of it. */
  attempted(candidate: Candidate): (ended: AttemptResult) => void;
  /** Usage is published, or will be once what goes on has ended. */
  charged(): void;
  /** @param status of the answer, or that of `CLIENT_LEFT` where there is none. */
  ended(log: Pick<RequestLog, 'ended'>, status: number): void;
}

interface Attempt {
  readonly candidate: Candidate;
  readonly beganMs: number;
  result?: Pick<RequestAttempt, 'result' | 'status' | 'ms'>;
}

interface StartedRequest {
  readonly id: string;
  readonly protocol: ClientProtocol;
  readonly task: OtherOperation | undefined;
  /** Where the path names one. */
  readonly model: string | undefined;
}

/** All that is known of a request at its end. */
interface KnownRequest extends StartedRequest {
  readonly key: Pick<KeyRecord, 'account_id' | 'key_id'>;
  readonly stream: boolean;
  readonly isCharged: boolean;
  readonly arrivedAt: number;
  readonly beganMs: number;
  readonly attempts: readonly Attempt[];
}

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string | undefined;
  readonly limitedBy?: string;
}

export function beginStory(request: StartedRequest): RequestStory {
  const arrivedAt = Date.now();
  const beganMs = performance.now();
  const attempts: Attempt[] = [];
  let key: Pick<KeyRecord, 'account_id' | 'key_id'> | undefined;
  let { model } = request;
  let [stream, isCharged] = [false, false];
  let limitedBy: string | undefined;
  let refused: Refused | undefined;

  return {
    authenticated: (found) => void (key = found),
    received: (summary) => void ({ model, stream } = summary),
    limited: (by) => void (limitedBy = by),
    refused({ kind, message }) {
      const { status, code } = ERROR_KINDS[kind];
      const by = limitedBy ?? (kind === 'quota_exhausted' ? 'credit' : undefined);
      refused = { status, code: code ?? kind, message, ...(by === undefined ? {} : { limitedBy: by }) };
    },
    refusedUpstream: (status, message) => void (refused = { status, code: UPSTREAM_REFUSED, message }),
    attempted(candidate) {
      const attempt: Attempt = { candidate, beganMs: performance.now() };
      attempts.push(attempt);
      return (ended) => {
        attempt.result = { ...toResult(ended), ms: Math.round(performance.now() - attempt.beganMs) };
      };
    },
    charged: () => void (isCharged = true),
    ended(log, status) {
      const left = status === CLIENT_LEFT.status;
      const end = left
        ? { ...CLIENT_LEFT, message: undefined }
        : (refused ?? { status, code: null, message: undefined });
      const counted = {
        account_id: key?.account_id ?? null,
        http_status: end.status,
        error_code: end.code ?? '',
        arrivedAt,
        isCharged,
      };
      const isTold = !isCharged || attempts.length > 1;
      const known = { ...request, model, stream, isCharged, arrivedAt, beganMs, attempts };
      log.ended(counted, key && isTold ? describe({ ...known, key }, end) : undefined);
    },
  };
}

function describe(
  { id, protocol, task, key, model, stream, isCharged, arrivedAt, beganMs, attempts }: KnownRequest,
  { status, code, message, limitedBy }: Omit<Refused, 'code'> & { readonly code: string | null },
): RequestRecord {
  const now = performance.now();
  const answered = attempts.find(({ result }) => result?.result === 'answered');
  return {
    request_id: id,
    occurred_at: new Date(arrivedAt).toISOString(),
    account_id: key.account_id,
    key_id: key.key_id,
    is_charged: isCharged,
    model: model === undefined ? null : toLogWords(model, RECORD_LIMITS.model),
    operation: task ?? null,
    protocol,
    stream,
    http_status: status,
    error_code: code,
    message: message === undefined ? null : toLogWords(message, RECORD_LIMITS.message),
    limited_by: limitedBy ?? null,
    pool: attempts.at(-1)?.candidate.pool.name ?? null,
    attempts: attempts.slice(-RECORD_LIMITS.attempts).map((attempt) => describeAttempt(attempt, now)),
    first_byte_ms: answered?.result ? Math.round(answered.beganMs - beganMs + answered.result.ms) : null,
    latency_ms: Math.round(now - beganMs),
  };
}

function toResult(ended: AttemptResult): Pick<RequestAttempt, 'result' | 'status'> {
  if (ended.kind === 'stream' || ended.kind === 'answer') return { result: 'answered', status: ended.status };
  if (ended.kind === 'status') return { result: 'status', status: ended.status };
  // The log has one word for what cannot be used.
  return { result: ended.kind === 'too-long' ? 'garbage' : ended.kind, status: null };
}

const describeAttempt = ({ candidate, beganMs, result }: Attempt, now: number): RequestAttempt => ({
  upstream: candidate.client.upstream.name,
  upstream_model: candidate.upstreamModel.slice(0, 256),
  ...(result ?? { result: 'aborted', status: null, ms: Math.round(now - beganMs) }),
});
