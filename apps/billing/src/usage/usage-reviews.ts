import type { PriceSnapshot } from '@tollgate/catalogue';
import { tokenCountsSchema, usageEventSchema } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import type { TokenCounts } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import type { Reader } from '../ledger/transactions.ts';
import type { PostedUsage } from './post-batch.ts';
import { type Posting, type RatedUsage, rateUsage } from './posting.ts';
import { storable } from './storable.ts';

export const REVIEW_STATUSES = ['open', 'accepted', 'dismissed'] as const;
type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** Sets aside what was reported beyond the bound of its request, in the transaction that charges the bound. */
export async function openReviews(manager: EntityManager, posted: readonly PostedUsage[]): Promise<void> {
  const beyond = posted.filter(({ reported }) => reported !== undefined);
  if (beyond.length === 0) return;
  const column = (of: (posting: Posting & { number: number }) => unknown) => beyond.map(of);
  await manager.query(
    `INSERT INTO billing.usage_review
       (request_id, number, account_id, occurred_at, event, reported_tokens, charged_pico, upstream_charged_pico)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::jsonb[], $6::jsonb[],
       $7::numeric[], $8::numeric[])
     ON CONFLICT (request_id) DO NOTHING`,
    [
      column(({ event }) => event.request_id),
      column(({ number }) => number),
      column(({ event }) => event.account_id),
      column(({ event }) => event.occurred_at),
      column(({ event }) => JSON.stringify(storable(event))),
      column(({ reported }) => JSON.stringify(reported)),
      column(({ costPico }) => costPico.toString()),
      column(({ upstreamCostPico }) => upstreamCostPico?.toString() ?? null),
    ],
  );
}

interface ReviewRow {
  readonly request_id: string;
  readonly number: string;
  readonly account_id: string;
  readonly occurred_at: Date;
  readonly opened_at: Date;
  readonly event: unknown;
  readonly reported_tokens: unknown;
  readonly charged_pico: string;
  readonly upstream_charged_pico: string | null;
  readonly status: ReviewStatus;
  readonly decided_at: Date | null;
  readonly decided_by: string | null;
  readonly reason: string | null;
  readonly decided_number: string | null;
}

export interface UsageReview {
  readonly row: ReviewRow;
  readonly event: ReturnType<typeof usageEventSchema.parse>;
  readonly reported: TokenCounts;
  readonly chargedPico: bigint;
  readonly upstreamChargedPico: bigint | null;
}

const reviewOf = (row: ReviewRow): UsageReview => ({
  row,
  event: usageEventSchema.parse(row.event),
  reported: tokenCountsSchema.parse(row.reported_tokens),
  chargedPico: BigInt(row.charged_pico),
  upstreamChargedPico: row.upstream_charged_pico === null ? null : BigInt(row.upstream_charged_pico),
});

/** The newest first. */
export async function listReviews(
  reader: Reader,
  { status, limit }: { readonly status: ReviewStatus; readonly limit: number },
): Promise<UsageReview[]> {
  const rows: ReviewRow[] = await reader.query(
    'SELECT * FROM billing.usage_review WHERE status = $1 ORDER BY opened_at DESC, request_id LIMIT $2',
    [status, limit],
  );
  return rows.map(reviewOf);
}

/** @param lock nobody else decides about it until the transaction ends. */
export async function findReview(
  reader: Reader,
  requestId: string,
  { lock = false } = {},
): Promise<UsageReview | undefined> {
  const [row]: ReviewRow[] = await reader.query(
    `SELECT * FROM billing.usage_review WHERE request_id = $1${lock ? ' FOR UPDATE' : ''}`,
    [requestId],
  );
  return row && reviewOf(row);
}

/** What the reported figures would cost; undefined where they are more than any price list can be exact about. */
export function rateReported(
  { event, reported }: UsageReview,
  snapshot: PriceSnapshot,
): RatedUsage | undefined {
  try {
    const rated = rateUsage({ ...event, tokens: reported }, snapshot);
    return rated.ok ? rated.value : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const shownReview = ({ row, event, reported, chargedPico }: UsageReview): object => ({
  request_id: row.request_id,
  transaction: Number(row.number),
  account_id: row.account_id,
  occurred_at: row.occurred_at.toISOString(),
  opened_at: row.opened_at.toISOString(),
  model: event.model,
  upstream: event.upstream,
  bound: event.bound ?? null,
  charged_tokens: event.tokens,
  reported_tokens: reported,
  charged_usd: formatUsd(chargedPico),
  status: row.status,
  decided_at: row.decided_at?.toISOString() ?? null,
  decided_by: row.decided_by,
  reason: row.reason,
  decided_transaction: row.decided_number === null ? null : Number(row.decided_number),
});
