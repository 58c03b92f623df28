import { column, readRows } from '@tollgate/platform';
import { METER_KINDS } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type Columns, copyRows } from '../database/copy-rows.ts';
import { type NewTransaction, type Posted, type Transactions, withJournal } from '../ledger/journal.ts';
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
  return withJournal(database, async ({ manager, append }) => {
    await reject(manager, rejected);
    const known = await postedAmong(manager, unique);
    const fresh = unique.filter(({ event }) => !known.has(event.request_id));
    const posted = await append(fresh.map(transactionOf));
    const isLost = ({ event }: Posting) => event.lost !== undefined;
    const ofRequests = posted.filter(({ transaction }) => !isLost(transaction.posting));
    const ofAttempts = posted.filter(({ transaction }) => isLost(transaction.posting));
    await copyRows(manager, 'billing.usage', [...usageColumns, ...countColumns(ofRequests)], ofRequests);
    await copyRows(
      manager,
      'billing.lost_attempt',
      [...lostColumns, ...countColumns(ofAttempts)],
      ofAttempts,
    );
    await chargeKeys(
      manager,
      fresh.filter((posting) => !isLost(posting)),
    );
    const usage = posted.map(({ number, transaction }) => ({ ...transaction.posting, number }));
    await openReviews(manager, usage);
    return usage;
  });
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

const UPDATE_KEYS = `
  UPDATE billing.api_key k
  SET spent_pico = k.spent_pico + spent.cost, last_used_at = greatest(k.last_used_at, spent.used_at)
  FROM unnest($1::uuid[], $2::numeric[], $3::timestamptz[]) AS spent (id, cost, used_at)
  WHERE k.id = spent.id`;

/** Days and months are those of the account's time zone. */
const ADD_SPEND = `
  INSERT INTO billing.key_spend AS s (key_id, span, starts_on, spent_pico)
  SELECT given.key_id, span, date_trunc(span, given.occurred_at AT TIME ZONE coalesce(a.time_zone, 'UTC')), sum(given.cost)
  FROM unnest($1::uuid[], $2::uuid[], $3::numeric[], $4::timestamptz[]) AS given (account_id, key_id, cost, occurred_at)
  LEFT JOIN billing.account a ON a.id = given.account_id
  CROSS JOIN unnest(ARRAY['day', 'month']) AS span
  GROUP BY 1, 2, 3
  ON CONFLICT (key_id, span, starts_on) DO UPDATE SET spent_pico = s.spent_pico + excluded.spent_pico`;

/** Adds what was spent to the keys. */
async function chargeKeys(manager: EntityManager, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return;
  const byKey = new Map<string, { cost: bigint; usedAt: string }>();
  for (const { event, costPico } of postings) {
    const sum = byKey.get(event.key_id);
    byKey.set(event.key_id, {
      cost: (sum?.cost ?? 0n) + costPico,
      usedAt: sum && sum.usedAt > event.occurred_at ? sum.usedAt : event.occurred_at,
    });
  }
  const sums = [...byKey];
  await manager.query(UPDATE_KEYS, [
    sums.map(([id]) => id),
    sums.map(([, { cost }]) => cost.toString()),
    sums.map(([, { usedAt }]) => usedAt),
  ]);
  await manager.query(ADD_SPEND, [
    postings.map(({ event }) => event.account_id),
    postings.map(({ event }) => event.key_id),
    postings.map(({ costPico }) => costPico.toString()),
    postings.map(({ event }) => event.occurred_at),
  ]);
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
