import { METER_KINDS, type MeterKind } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { type Columns, copyRows } from '../database/copy-rows.ts';
import { withBatch } from '../ledger/batch.ts';
import type { Transactions } from '../ledger/journal.ts';
import { OPERATOR } from '../ledger/ledger-accounts.ts';
import type { BookedEvent, LedgerEvent } from '../ledger/sum-events.ts';
import { findMeterColumn } from './meter-columns.ts';
import type { PostedUsage, Posting } from './posting.ts';
import { isElsewhere, lookUpPosted, monthOfRequest } from './posted-requests.ts';
import { storable, storableText } from './storable.ts';
import { toStoredLines } from './usage-lines.ts';
import { openReviews } from './usage-reviews.ts';

/**
 * Events of one database transaction. Each adds to the same sums whether it has few events or many; beyond this nothing is saved
 * any more.
 */
export const EVENTS_PER_COMMIT_MAX = 4_000;

export interface Rejected {
  readonly requestId: string | null;
  readonly reason: string;
  readonly event: unknown;
  /** It is tried again by itself: what it lacks may come. */
  readonly waits?: boolean;
}

interface UsageRow extends LedgerEvent {
  readonly posting: Posting;
}

function writeLines({ event, lineCosts }: Posting): string | null {
  const lines = toStoredLines(event, lineCosts);
  return lines && JSON.stringify(storable(lines));
}

/** What the usage log and the lost attempts have in common. */
const sharedColumns: Columns<BookedEvent<UsageRow>> = [
  ['request_id', ({ event: { posting } }) => posting.event.request_id],
  ['number', ({ number }) => number],
  ['occurred_at', ({ event: { posting } }) => posting.event.occurred_at],
  ['booked_at', ({ bookedAt }) => bookedAt],
  ['account_id', ({ event: { posting } }) => posting.event.account_id],
  ['key_id', ({ event: { posting } }) => posting.event.key_id],
  ['group_name', ({ event: { posting } }) => posting.event.group],
  ['model', ({ event: { posting } }) => posting.event.model],
  ['vendor', ({ event: { posting } }) => posting.vendor],
  ['pool', ({ event: { posting } }) => posting.event.pool],
  ['upstream', ({ event: { posting } }) => posting.event.upstream],
  ['upstream_model', ({ event: { posting } }) => posting.event.upstream_model],
  ['protocol', ({ event: { posting } }) => posting.event.protocol],
  ['operation', ({ event: { posting } }) => posting.event.operation ?? null],
  ['stream', ({ event: { posting } }) => posting.event.stream],
  ['snapshot_version', ({ event: { posting } }) => posting.event.snapshot_version],
  ['service_tier', ({ event: { posting } }) => posting.event.lines[0]?.service_tier ?? 'standard'],
  ['region', ({ event: { posting } }) => posting.event.lines[0]?.region ?? null],
  ['lines', ({ event: { posting } }) => writeLines(posting)],
  ['upstream_cost_pico', ({ event: { posting } }) => posting.upstreamCostPico],
  ['latency_ms', ({ event: { posting } }) => posting.event.latency_ms],
];

/**
 * Of all kinds of tokens and units those that any of the rows has: the others are zero by themselves, and writing and reading
 * these zeros would be a part of what posting takes.
 */
function countColumns(rows: readonly BookedEvent<UsageRow>[]): Columns<BookedEvent<UsageRow>> {
  const used = new Set<MeterKind>();
  for (const { event } of rows) {
    const { counts } = event.posting;
    for (const kind of Object.keys(counts) as MeterKind[]) if (counts[kind]) used.add(kind);
  }
  return METER_KINDS.filter((kind) => used.has(kind)).map((kind) => [
    findMeterColumn(kind),
    ({ event: { posting } }) => posting.counts[kind] ?? 0,
  ]);
}

const usageColumns: Columns<BookedEvent<UsageRow>> = [
  ...sharedColumns,
  ['group_ratio', ({ event: { posting } }) => posting.groupRatio],
  ['discount_ratio', ({ event: { posting } }) => posting.discountRatio],
  ['cost_pico', ({ event: { posting } }) => posting.costPico],
  ['usage_source', ({ event: { posting } }) => posting.event.usage_source],
  ['outcome', ({ event: { posting } }) => posting.event.outcome],
  ['http_status', ({ event: { posting } }) => posting.event.http_status],
  ['first_byte_ms', ({ event: { posting } }) => posting.event.first_byte_ms],
  ['claimed_at', ({ event: { posting } }) => posting.claimedAt ?? null],
];

const lostColumns: Columns<BookedEvent<UsageRow>> = [
  ...sharedColumns,
  ['cause', ({ event: { posting } }) => posting.event.lost ?? null],
];

/** Where something was in the way, which most often is that an event comes again, events come again for a while. */
const LOOK_FIRST_MS = 60_000;
const lookingFirst = new WeakMap<Transactions, number>();

/**
 * Writes postings in one database transaction. A request that is posted already is passed over: that a month of the usage
 * log has each request once is the guarantee that nothing posts twice. Answers what was new.
 *
 * Nearly everything is. So the log is not asked first, which takes a fifth of what posting does: where it refuses a request,
 * the batch is written again alone, without those that are there, and for a minute all are looked up before they are written.
 */
export function postBatch(
  database: Transactions,
  postings: readonly Posting[],
  rejected: readonly Rejected[],
): Promise<PostedUsage[]> {
  const unique = [...new Map(postings.map((posting) => [posting.event.request_id, posting])).values()];
  const elsewhere = new Set(unique.filter(standsElsewhere));
  const alone = elsewhere.size > 0;
  return withBatch(
    database,
    async ({ manager, isAlone, append }) => {
      if (isAlone && !alone) lookingFirst.set(database, performance.now() + LOOK_FIRST_MS);
      const { posted: known, unknown } = await lookUpPosted(
        manager,
        unique.map(({ event }) => event.request_id),
        // A month refuses what it has, but not what stands in another one.
        { inLog: isAlone || performance.now() < (lookingFirst.get(database) ?? 0) },
      );
      const fresh = unique.filter(({ event }) => !known.has(event.request_id));
      await reject(manager, [
        ...rejected,
        ...fresh.filter(({ event }) => unknown.has(event.request_id)).map(toUnknown),
      ]);
      const booked = await append(
        fresh.filter(({ event }) => !unknown.has(event.request_id)).map(toRow),
        async (numbered) => {
          await copyUsage(manager, numbered, elsewhere);
          await openReviews(manager, numbered.map(toPostedUsage));
        },
      );
      return booked.map(toPostedUsage);
    },
    { alone },
  );
}

const standsElsewhere = ({ event }: Posting): boolean =>
  event.lost === undefined && isElsewhere(event.request_id, event.occurred_at);

const toUnknown = ({ event }: Posting): Rejected => ({
  requestId: event.request_id,
  reason: `the usage of ${monthOfRequest(event.request_id)} is gone, and with it whether this was posted`,
  event,
});

const toPostedUsage = ({ number, event }: BookedEvent<UsageRow>): PostedUsage => ({
  ...event.posting,
  number,
});

async function copyUsage(
  manager: EntityManager,
  booked: readonly BookedEvent<UsageRow>[],
  elsewhere: ReadonlySet<Posting>,
): Promise<void> {
  const ofRequests = booked.filter(({ event }) => event.kind === 'usage');
  const ofAttempts = booked.filter(({ event }) => event.kind === 'lost_attempt');
  await copyRows(manager, 'billing.usage', [...usageColumns, ...countColumns(ofRequests)], ofRequests);
  await copyRows(manager, 'billing.lost_attempt', [...lostColumns, ...countColumns(ofAttempts)], ofAttempts);
  await copyRows(
    manager,
    'billing.usage_elsewhere',
    [['request_id', ({ event: { posting } }: BookedEvent<UsageRow>) => posting.event.request_id]],
    elsewhere.size === 0 ? [] : ofRequests.filter(({ event: { posting } }) => elsewhere.has(posting)),
  );
}

const toRow = (posting: Posting): UsageRow => {
  const { event, vendor, costPico, upstreamCostPico } = posting;
  return {
    kind: event.lost ? 'lost_attempt' : 'usage',
    // Customers see nothing of attempts that brought them nothing, nor do their months.
    accountId: event.lost ? OPERATOR : event.account_id,
    occurredAt: event.occurred_at,
    entries: posting.entries,
    digested: [event.request_id, vendor, event.upstream, costPico, upstreamCostPico ?? ''].join('\t'),
    posting,
  };
};

async function reject(manager: EntityManager, rejected: readonly Rejected[]): Promise<void> {
  if (rejected.length === 0) return;
  await manager.query(
    `INSERT INTO billing.usage_rejected AS r (request_id, reason, event, state)
     SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[])
     ON CONFLICT (request_id) DO UPDATE SET reason = excluded.reason, state = excluded.state
     WHERE r.state = 'waiting'`,
    [
      rejected.map(({ requestId }) => requestId && storableText(requestId)),
      rejected.map(({ reason }) => storableText(reason)),
      rejected.map(({ event }) => JSON.stringify(storable(event))),
      rejected.map(({ waits }) => (waits ? 'waiting' : 'rejected')),
    ],
  );
}
