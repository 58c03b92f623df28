import type { KeyRecord, LostCause, UsageEvent } from '@tollgate/contracts';
import { type Metered, type UsageBound, withinBound } from '@tollgate/metering';
import type { Protocol } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';
import type { AnswerEnd } from './send-stream.ts';

const OUTCOME = {
  complete: 'completed',
  client_aborted: 'client_aborted',
  upstream_cut: 'upstream_cut',
} as const satisfies Record<AnswerEnd, UsageEvent['outcome']>;

/** The event that bills a relayed request, for no more than it can have had; times are milliseconds since the request's arrival. */
export function usageEvent(facts: {
  readonly requestId: string;
  readonly arrivedAt: number;
  readonly firstByteAt: number | undefined;
  readonly endedAt: number;
  readonly key: KeyRecord;
  readonly protocol: Protocol;
  readonly model: string;
  readonly stream: boolean;
  readonly snapshotVersion: number;
  readonly snapshotHash: string;
  readonly candidate: Candidate;
  readonly status: number;
  readonly end: AnswerEnd;
  readonly metered: Metered;
  /** Absent where the request was not bounded. */
  readonly bound: UsageBound | undefined;
  readonly traceparent?: string | undefined;
  /** Of an attempt that brought nothing. */
  readonly lost?: LostCause;
}): UsageEvent {
  const { key, candidate, metered, bound } = facts;
  const { tokens, beyond } = bound
    ? withinBound(metered.tokens, bound)
    : { tokens: metered.tokens, beyond: false };
  return {
    v: 2,
    request_id: facts.requestId,
    occurred_at: new Date(facts.arrivedAt).toISOString(),
    account_id: key.account_id,
    key_id: key.key_id,
    group: key.group,
    model: facts.model,
    pool: candidate.pool.name,
    upstream: candidate.client.upstream.name,
    upstream_model: candidate.upstreamModel,
    protocol: facts.protocol,
    stream: facts.stream,
    snapshot_version: facts.snapshotVersion,
    snapshot_hash: facts.snapshotHash,
    lines: [{ model: facts.model, counts: tokens }],
    ...(bound ? { bound: { input: bound.input, output: bound.output, text_only: bound.textOnly } } : {}),
    // What we guessed ourselves is nothing to look at.
    ...(beyond && metered.source !== 'estimated'
      ? { reported_lines: [{ model: facts.model, counts: metered.tokens }] }
      : {}),
    usage_source: metered.source,
    outcome: OUTCOME[facts.end],
    http_status: facts.status,
    latency_ms: between(facts.arrivedAt, facts.endedAt),
    first_byte_ms: between(facts.arrivedAt, facts.firstByteAt ?? facts.endedAt),
    ...(facts.traceparent === undefined ? {} : { traceparent: facts.traceparent }),
    ...(facts.lost === undefined ? {} : { lost: facts.lost }),
  };
}

/** What the books hold of a length of time. */
const LONGEST_MS = 2 ** 31 - 1;

/** In milliseconds. A clock that was set meanwhile, by however much, makes an event that can be booked. */
const between = (from: number, to: number): number => Math.min(LONGEST_MS, Math.max(0, to - from));
