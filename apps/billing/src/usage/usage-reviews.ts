import { type AnswerOf, REVIEW_STATUSES, type usageReviews } from '@tollgate/api';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { type UsageEvent, usageEventSchema } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { column, readRow, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Reader } from '../ledger/transactions.ts';
import { type PostedUsage, type RatedUsage, rateUsage } from './posting.ts';
import { storable } from './storable.ts';
import { sumCounts } from './usage-lines.ts';

type ShownReview = AnswerOf<typeof usageReviews.acceptUsageReview>;
type ReviewStatus = ShownReview['status'];

/** Sets aside what was reported beyond the bound of its request, in the transaction that charges the bound. */
export async function openReviews(manager: EntityManager, posted: readonly PostedUsage[]): Promise<void> {
  const beyond = posted.filter(({ reported }) => reported !== undefined);
  if (beyond.length === 0) return;
  const values = (of: (posting: PostedUsage) => unknown) => beyond.map(of);
  await manager.query(
    `INSERT INTO billing.usage_review
       (request_id, number, account_id, occurred_at, event, reported_tokens, charged_pico, upstream_charged_pico)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::jsonb[], $6::jsonb[],
       $7::numeric[], $8::numeric[])
     ON CONFLICT (request_id) DO NOTHING`,
    [
      values(({ event }) => event.request_id),
      values(({ number }) => number),
      values(({ event }) => event.account_id),
      values(({ event }) => event.occurred_at),
      values(({ event }) => JSON.stringify(storable(event))),
      values(({ reported }) => JSON.stringify(sumCounts(reported ?? []))),
      values(({ costPico }) => costPico.toString()),
      values(({ upstreamCostPico }) => upstreamCostPico?.toString() ?? null),
    ],
  );
}

const reviewRow = z.object({
  request_id: column.text,
  number: column.bigint,
  account_id: column.uuid,
  occurred_at: column.timestamp,
  opened_at: column.timestamp,
  event: z.unknown(),
  charged_pico: column.bigint,
  upstream_charged_pico: column.bigint.nullable(),
  status: z.enum(REVIEW_STATUSES),
  decided_at: column.timestamp.nullable(),
  decided_by: column.text.nullable(),
  reason: column.text.nullable(),
  decided_number: column.bigint.nullable(),
});
type ReviewRow = z.infer<typeof reviewRow>;

export interface UsageReview {
  readonly row: ReviewRow;
  readonly event: UsageEvent;
  readonly reported: UsageEvent['lines'];
  readonly chargedPico: bigint;
  readonly upstreamChargedPico: bigint | null;
}

function reviewOf(row: ReviewRow): UsageReview {
  const event = usageEventSchema.parse(row.event);
  return {
    row,
    event,
    reported: event.reported_lines ?? event.lines,
    chargedPico: BigInt(row.charged_pico),
    upstreamChargedPico: row.upstream_charged_pico === null ? null : BigInt(row.upstream_charged_pico),
  };
}

/** The newest first. */
export async function listReviews(
  reader: Reader,
  { status, limit }: { readonly status: ReviewStatus; readonly limit: number },
): Promise<UsageReview[]> {
  const rows = await readRows(
    reader,
    reviewRow,
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
  const row = await readRow(
    reader,
    reviewRow,
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
    const rated = rateUsage({ ...event, lines: reported }, snapshot);
    return rated.ok ? rated.value : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const showReview = ({ row, event, reported, chargedPico }: UsageReview): ShownReview => ({
  request_id: row.request_id,
  transaction: Number(row.number),
  account_id: row.account_id,
  occurred_at: row.occurred_at.toISOString(),
  opened_at: row.opened_at.toISOString(),
  model: event.model,
  upstream: event.upstream,
  bound: event.bound ?? null,
  charged_tokens: sumCounts(event.lines),
  reported_tokens: sumCounts(reported),
  charged_lines: event.lines,
  reported_lines: reported,
  charged_usd: formatUsd(chargedPico),
  status: row.status,
  decided_at: row.decided_at?.toISOString() ?? null,
  decided_by: row.decided_by,
  reason: row.reason,
  decided_transaction: row.decided_number === null ? null : Number(row.decided_number),
});
