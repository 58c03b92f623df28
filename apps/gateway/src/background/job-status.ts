import type { LeasedJob, UsageEvent } from '@tollgate/contracts';
import { createMeter, type Ending, tokensWrittenIn } from '@tollgate/metering';
import { isObject } from '@tollgate/protocols';
import { computeListed, type RequestBound } from '../admit/reserve.ts';
import { LOST, readCost, usageEvent } from '../relay/usage-event.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import type { UpstreamSays } from './ask-upstream.ts';

/** How far a job is, in the words of its upstream. */
type JobStatus =
  | { readonly kind: 'under way' | 'over'; readonly word: string; readonly responseId: string }
  /** It says nothing that is known. */
  | { readonly kind: 'unknown' };

const UNDER_WAY = new Set(['queued', 'in_progress']);
const ENDS: Readonly<Record<string, Ending>> = {
  completed: 'complete',
  incomplete: 'complete',
  cancelled: 'client_aborted',
  failed: 'upstream_cut',
};

export function readJobStatus(json: unknown): JobStatus {
  if (!isObject(json)) return { kind: 'unknown' };
  const { status, id: responseId } = json;
  if (typeof status !== 'string' || typeof responseId !== 'string' || responseId === '')
    return { kind: 'unknown' };
  if (UNDER_WAY.has(status)) return { kind: 'under way', word: status, responseId };
  return Object.hasOwn(ENDS, status) ? { kind: 'over', word: status, responseId } : { kind: 'unknown' };
}

/**
 * An upstream that was asked for a stream of a job, and said in one piece that it is under way, as the beginning of that stream: its
 * client knows the job by it, and fetches the rest. Undefined for what is no job under way.
 */
export function announceJob(json: unknown): Buffer | undefined {
  const status = readJobStatus(json);
  if (status.kind !== 'under way') return undefined;
  const events = ['response.created', `response.${status.word}`].map((type, sequence_number) => {
    const data = JSON.stringify({ type, sequence_number, response: json });
    return `event: ${type}\ndata: ${data}\n\n`;
  });
  return Buffer.from(events.join(''));
}

/**
 * What a job that is over is billed for, by the meter of every answer: at most one event. What failed and reports nothing has
 * used nothing.
 */
export function describeJobEnd(
  { request_id: requestId, request }: LeasedJob,
  status: string,
  { body, json }: Pick<UpstreamSays, 'body' | 'json'>,
  { table, reportsCost }: { readonly table: RoutingTable; readonly reportsCost: boolean | undefined },
): UsageEvent[] {
  const meter = createMeter('openai-responses', {
    stream: 'none',
    requestEstimate: request.request_tokens,
    whole: json,
    reportsCost,
  });
  meter.feed(body);
  const metered = meter.finish('complete');
  if (status === 'failed' && metered.source === 'estimated') return [];
  return [
    usageEvent({
      ...describeJob(request),
      requestId,
      status: 200,
      end: ENDS[status] ?? 'complete',
      metered,
      firstByteMs: undefined,
      chargedBy: (lines) => readCost(metered, lines, (priced) => computeListed(table, request, priced)),
    }),
  ];
}

/**
 * A job that is gone at its upstream brought its caller nothing, and the operator is charged for it in all likelihood: for what
 * it can have written as long as it was known.
 */
export const describeLostJob = ({ request_id: requestId, request, age_ms: ageMs }: LeasedJob): UsageEvent =>
  usageEvent({
    ...describeJob(request),
    // Those that were lost before a job began are counted from 1 on.
    requestId: `${requestId}.0`,
    ...LOST,
    metered: {
      source: 'estimated',
      tokens: {
        input: request.request_tokens,
        output: Math.min(tokensWrittenIn(ageMs), request.bound.output),
      },
    },
    firstByteMs: undefined,
    lost: 'status',
  });

const describeJob = (request: LeasedJob['request']) => ({
  arrivedAt: Date.parse(request.occurred_at),
  // Another gateway may have begun it.
  latencyMs: Date.now() - Date.parse(request.occurred_at),
  key: request,
  protocol: 'openai-responses' as const,
  model: request.model,
  stream: request.stream,
  snapshotVersion: request.snapshot_version,
  snapshotHash: request.snapshot_hash,
  candidate: {
    pool: { name: request.pool },
    client: { upstream: { name: request.upstream } },
    upstreamModel: request.upstream_model,
  },
  bound: toBound(request),
  traceparent: request.traceparent,
});

const toBound = ({ bound, drawing, free }: LeasedJob['request']): RequestBound => ({
  input: bound.input,
  output: bound.output,
  textOnly: bound.text_only,
  extras: {
    units: bound.units ?? {},
    serviceTiers: bound.service_tiers ?? [],
    region: bound.region,
    ...(drawing ? { drawing } : {}),
  },
  free: new Set(free),
  // Only what is given up is charged by it.
  costliest: {},
});
