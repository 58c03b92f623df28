import { column, readRows } from '@tollgate/platform';
import { METER_KINDS } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type Columns, copyRows } from '../database/copy-rows.ts';
import { type NewTransaction, type Posted, type Transactions, withBatch } from '../ledger/journal.ts';
import { OPERATOR } from '../ledger/ledger-accounts.ts';
import { findMeterColumn } from './meter-columns.ts';
import type { PostedUsage, Posting } from './posting.ts';
import { storable, storableText } from './storable.ts';
import { toStoredLines } from './usage-lines.ts';
import { openReviews } from './usage-reviews.ts';

export interface Rejected {
  readonly requestId: string | null;
  readonly reason: string;
  readonly event: unknown;
  /** It is tried again by itself: what it lacks may come. */
  readonly waits?: boolean;
}

interface UsageTransaction extends NewTransaction {
  readonly posting: Posting;
}

function writeLines({ event, lineCosts }: Posting): string | null {
  const lines = toStoredLines(event, lineCosts);
  return lines && JSON.stringify(storable(lines));
}

/** What the usage log and the lost attempts have in common. */
const sharedColumns: Columns<Posted<UsageTransaction>> = [
  ['request_id', ({ transaction: { posting } }) => posting.event.request_id],
  ['number', ({ number }) => number],
  ['occurred_at', ({ transaction: { posting } }) => posting.event.occurred_at],
  ['booked_at', ({ bookedAt }) => bookedAt],
  ['account_id', ({ transaction: { posting } }) => posting.event.account_id],
  ['key_id', ({ transaction: { posting } }) => posting.event.key_id],
  ['group_name', ({ transaction: { posting } }) => posting.event.group],
  ['model', ({ transaction: { posting } }) => posting.event.model],
  ['vendor', ({ transaction: { posting } }) => posting.vendor],
  ['pool', ({ transaction: { posting } }) => posting.event.pool],
  ['upstream', ({ transaction: { posting } }) => posting.event.upstream],
  ['upstream_model', ({ transaction: { posting } }) => posting.event.upstream_model],
  ['protocol', ({ transaction: { posting } }) => posting.event.protocol],
  ['operation', ({ transaction: { posting } }) => posting.event.operation ?? null],
  ['stream', ({ transaction: { posting } }) => posting.event.stream],
  ['snapshot_version', ({ transaction: { posting } }) => posting.event.snapshot_version],
  ['service_tier', ({ transaction: { posting } }) => posting.event.lines[0]?.service_tier ?? 'standard'],
  ['region', ({ transaction: { posting } }) => posting.event.lines[0]?.region ?? null],
  ['lines', ({ transaction: { posting } }) => writeLines(posting)],
  ['upstream_cost_pico', ({ transaction: { posting } }) => posting.upstreamCostPico],
  ['latency_ms', ({ transaction: { posting } }) => posting.event.latency_ms],
];

/**
 * Of all kinds of tokens and units those that any of the rows has: the others are zero by themselves, and writing and reading
 * these zeros would be a part of what posting takes.
 */
const countColumns = (rows: readonly Posted<UsageTransaction>[]): Columns<Posted<UsageTransaction>> =>
  METER_KINDS.filter((kind) => rows.some(({ transaction: { posting } }) => posting.counts[kind])).map(
    (kind) => [findMeterColumn(kind), ({ transaction: { posting } }) => posting.counts[kind] ?? 0],
  );

const usageColumns: Columns<Posted<UsageTransaction>> = [
  ...sharedColumns,
  ['group_ratio', ({ transaction: { posting } }) => posting.groupRatio],
  ['discount_ratio', ({ transaction: { posting } }) => posting.discountRatio],
  ['cost_pico', ({ transaction: { posting } }) => posting.costPico],
  ['usage_source', ({ transaction: { posting } }) => posting.event.usage_source],
  ['outcome', ({ transaction: { posting } }) => posting.event.outcome],
  ['http_status', ({ transaction: { posting } }) => posting.event.http_status],
  ['first_byte_ms', ({ transaction: { posting } }) => posting.event.first_byte_ms],
  ['claimed_at', ({ transaction: { posting } }) => posting.claimedAt ?? null],
];

const lostColumns: Columns<Posted<UsageTransaction>> = [
  ...sharedColumns,
  ['cause', ({ transaction: { posting } }) => posting.event.lost ?? null],
];

/**
 * Writes postings in one database transaction. A request that is posted already is passed over: the ledger's unique
 * request id is the guarantee that nothing posts twice. Answers what was new.
 */
export function postBatch(
  database: Transactions,
  postings: readonly Posting[],
  rejected: readonly Rejected[],
): Promise<PostedUsage[]> {
  const unique = [...new Map(postings.map((posting) => [posting.event.request_id, posting])).values()];
  return withBatch(database, async ({ manager, append }) => {
    await reject(manager, rejected);
    const known = await postedAmong(manager, unique);
    const fresh = unique.filter(({ event }) => !known.has(event.request_id));
    const posted = await append(fresh.map(transactionOf), async (numbered) => {
      await copyUsage(manager, numbered);
      await openReviews(manager, numbered.map(toPostedUsage));
    });
    return posted.map(toPostedUsage);
  });
}

const toPostedUsage = ({ number, transaction }: Posted<UsageTransaction>): PostedUsage => ({
  ...transaction.posting,
  number,
});

async function copyUsage(manager: EntityManager, posted: readonly Posted<UsageTransaction>[]): Promise<void> {
  const isLost = ({ transaction: { posting } }: Posted<UsageTransaction>) => posting.event.lost !== undefined;
  const ofRequests = posted.filter((each) => !isLost(each));
  const ofAttempts = posted.filter(isLost);
  await copyRows(manager, 'billing.usage', [...usageColumns, ...countColumns(ofRequests)], ofRequests);
  await copyRows(manager, 'billing.lost_attempt', [...lostColumns, ...countColumns(ofAttempts)], ofAttempts);
}

const transactionOf = (posting: Posting): UsageTransaction => ({
  kind: posting.event.lost ? 'lost_attempt' : 'usage',
  // Customers see nothing of attempts that brought them nothing, nor do their months.
  accountId: posting.event.lost ? OPERATOR : posting.event.account_id,
  occurredAt: posting.event.occurred_at,
  requestId: posting.event.request_id,
  entries: posting.entries,
  posting,
});

const postedRequestRow = z.object({ request_id: column.text });

async function postedAmong(manager: EntityManager, postings: readonly Posting[]): Promise<Set<string>> {
  if (postings.length === 0) return new Set();
  const rows = await readRows(
    manager,
    postedRequestRow,
    'SELECT request_id FROM billing.ledger_transaction WHERE request_id = ANY($1)',
    [postings.map(({ event }) => event.request_id)],
  );
  return new Set(rows.map(({ request_id }) => request_id));
}

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
