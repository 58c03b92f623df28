import { isCostCredible, parseReportedCost } from '@tollgate/catalogue';
import type { KeyRecord, LostCause, UsageEvent, UsageLine } from '@tollgate/contracts';
import { type Ending, extrasWithinBound, type Metered, withinBound } from '@tollgate/metering';
import type { BilledExtras, DrawingBound } from '@tollgate/protocols';
import type { Counts, CostlyFeature, MeterKind, ClientProtocol, OtherOperation } from '@tollgate/vocabulary';
import type { PricedLine, RequestBound } from '../admit/reserve.ts';
import type { Candidate } from '../route/candidates.ts';

const OUTCOME = {
  complete: 'completed',
  client_aborted: 'client_aborted',
  upstream_cut: 'upstream_cut',
} as const satisfies Record<Ending, UsageEvent['outcome']>;

/** What an event names of a candidate. */
interface BilledCandidate extends Pick<Candidate, 'upstreamModel'> {
  readonly pool: { readonly name: string };
  readonly client: { readonly upstream: { readonly name: string } };
}

interface ReportedCost {
  readonly pico: bigint;
  readonly isCredible: boolean;
}

/** What an upstream charges for these lines as it says itself, unless by the price lists nobody charges that. */
export function readCost(
  { cost }: Metered,
  lines: readonly UsageLine[],
  listedOf: (lines: readonly PricedLine[]) => bigint,
): ReportedCost | undefined {
  const pico = cost === undefined ? undefined : parseReportedCost(cost);
  if (pico === undefined) return undefined;
  return { pico, isCredible: isCostCredible(pico, listedOf(lines.map(toPricedLine))) };
}

/** A line as prices are asked. */
export const toPricedLine = ({
  model,
  counts,
  service_tier: serviceTier,
  region,
}: UsageLine): PricedLine => ({
  model,
  counts,
  serviceTier,
  region,
});

/** How an attempt ended that nobody has the answer of. */
export const LOST = { status: 504, end: 'upstream_cut' } as const;

/** The event that bills a relayed request, for no more than it can have had; `…Ms` are milliseconds since the request's arrival. */
export function usageEvent(facts: {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
  readonly firstByteMs: number | undefined;
  readonly latencyMs: number;
  readonly key: Pick<KeyRecord, 'account_id' | 'key_id' | 'group'>;
  readonly protocol: ClientProtocol;
  readonly task?: OtherOperation | undefined;
  readonly model: string;
  readonly stream: boolean;
  readonly snapshotVersion: number;
  readonly snapshotHash: string;
  readonly candidate: BilledCandidate;
  readonly status: number;
  readonly end: Ending;
  readonly metered: Metered;
  /** Absent where the request was not bounded. */
  readonly bound: RequestBound | undefined;
  /** What the upstream says that it charges for these lines, and whether that can be. */
  readonly chargedBy?: (lines: readonly UsageLine[]) => ReportedCost | undefined;
  readonly traceparent?: string | undefined;
  /** Of an attempt that brought nothing. */
  readonly lost?: LostCause;
}): UsageEvent {
  const { key, candidate, metered, bound } = facts;
  const { lines, counted, reported } = boundLines(facts.model, metered, bound);
  const cost = facts.chargedBy?.(lines);
  const event: UsageEvent = {
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
    lines,
    usage_source: metered.source,
    outcome: OUTCOME[facts.end],
    http_status: facts.status,
    latency_ms: toBookable(facts.latencyMs),
    first_byte_ms: toBookable(facts.firstByteMs ?? facts.latencyMs),
  };
  // Most events have few of these: to spread an object for each costs as much as all of the rest.
  if (facts.task !== undefined) event.operation = facts.task;
  if (counted.length > 0) event.counted = [...counted];
  if (bound) event.bound = toEventBound(bound);
  if (reported) event.reported_lines = reported;
  if (reported || cost?.isCredible === false) event.disputed = true;
  if (cost?.isCredible) event.upstream_cost_pico = String(cost.pico);
  if (facts.traceparent !== undefined) event.traceparent = facts.traceparent;
  if (facts.lost !== undefined) event.lost = facts.lost;
  return event;
}

/** What is charged of an answer, and what it said where that is more than its request can have had. */
function boundLines(
  model: string,
  { tokens, source, extras }: Metered,
  bound: RequestBound | undefined,
): {
  readonly lines: UsageLine[];
  readonly counted: readonly MeterKind[];
  readonly reported: UsageLine[] | undefined;
} {
  const ofTokens = bound ? withinBound(tokens, bound) : { tokens, beyond: false };
  const { serviceTier, region, units, others, counted, beyond } = extrasWithinBound(
    extras,
    bound?.extras,
    bound?.free ?? NOTHING_FREE,
  );
  const line = toLine(model, { ...ofTokens.tokens, ...units }, { serviceTier, region });
  // What we guessed ourselves is nothing to look at.
  const isBeyond = (ofTokens.beyond && source !== 'estimated') || beyond;
  return {
    lines: [line, ...others.map((other) => toLine(other.model, other.counts))],
    counted,
    reported: isBeyond ? reportedLines(model, tokens, extras) : undefined,
  };
}

const NOTHING_FREE: ReadonlySet<CostlyFeature> = new Set();

const toLine = (
  model: string,
  counts: Counts,
  { serviceTier, region }: Pick<BilledExtras, 'serviceTier' | 'region'> = {},
): UsageLine => {
  const line: UsageLine = { model, counts };
  if (serviceTier !== undefined) line.service_tier = serviceTier;
  const storable = withoutNul(region);
  if (storable !== '') line.region = storable;
  return line;
};

/** All that an answer said, with the models that it named beside its own. */
const reportedLines = (model: string, tokens: Counts, extras: BilledExtras | undefined): UsageLine[] => [
  toLine(model, toStorable({ ...tokens, ...extras?.units }), extras),
  ...(extras?.others ?? [])
    .slice(0, 7)
    .map((other) => toLine(withoutNul(other.model?.slice(0, 128)) || 'unnamed', toStorable(other.counts))),
];

/** Sums of an upstream's figures may be beyond what is exact: the books would refuse the event, and charge nothing. */
const toStorable = (counts: Counts): Counts =>
  Object.fromEntries(
    Object.entries(counts).map(([kind, count]) => [kind, Math.min(count, Number.MAX_SAFE_INTEGER)]),
  );

/** The only character that the books do not take. */
const withoutNul = (text = ''): string => text.replaceAll('\0', '');

export const toEventBound = ({
  input,
  output,
  textOnly,
  extras,
}: RequestBound): NonNullable<UsageEvent['bound']> => {
  const bound: NonNullable<UsageEvent['bound']> = { input, output, text_only: textOnly };
  if (!extras) return bound;
  if (Object.keys(extras.units).length > 0) bound.units = { ...extras.units };
  if (extras.serviceTiers.length > 0) bound.service_tiers = [...extras.serviceTiers];
  if (extras.region !== undefined) bound.region = extras.region;
  if (extras.drawing) bound.others = [toOther(extras.drawing)];
  return bound;
};

const toOther = ({ model, input, output }: DrawingBound) => ({ model, input, output });

/** What the books hold of a length of time. */
const LONGEST_MS = 2 ** 31 - 1;

/** Whole milliseconds. What was measured by a clock that was set meanwhile, as that of a job is, makes an event that can be booked. */
const toBookable = (ms: number): number => Math.min(LONGEST_MS, Math.max(0, Math.round(ms)));
