import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, usageReviews } from '@tollgate/api';
import { unverifiedSnapshotSchema, verifySnapshot } from '@tollgate/catalogue';
import { MESSAGE, type Session } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { Caller, Handles, httpError, Input, type RequestReplyClient } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { audit } from '../audit-log/audit.ts';
import type { Credit } from '../credit/credit.ts';
import { appendOne } from '../ledger/transactions.ts';
import { withJournal } from '../ledger/journal.ts';
import { CREDIT, DATABASE, PRICING } from '../provided.ts';
import { usageEntries } from './posting.ts';
import { findReview, listReviews, rateReported, showReview, type UsageReview } from './usage-reviews.ts';

/** Requests whose upstream reported more than they can have had. They are charged what they can have had. */
@Controller()
export class UsageReviewsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(PRICING) private readonly pricing: RequestReplyClient,
    @Inject(CREDIT) private readonly credit: Pick<Credit, 'changed'>,
  ) {}

  @Handles(usageReviews.listUsageReviews)
  async list(@Input() { query }: RequestOf<typeof usageReviews.listUsageReviews>) {
    const reviews = await listReviews(this.database, query);
    return { items: reviews.map(showReview) };
  }

  @Handles(usageReviews.acceptUsageReview)
  async accept(
    @Input() { params, body }: RequestOf<typeof usageReviews.acceptUsageReview>,
    @Caller() caller: Session,
  ) {
    const { request_id: requestId } = params;
    const { reason } = body;
    const found = await this.#find(requestId);
    const snapshot = await this.#snapshotOf(found.event.snapshot_version);
    const rated = rateReported(found, snapshot);
    if (!rated)
      throw httpError(
        409,
        'The reported figures have no price. Dismiss them.',
        'request_id',
        'no_price_of_review',
      );
    await withJournal(this.database, async (journal) => {
      const review = await this.#findOpen(journal.manager, requestId);
      const beyond = {
        ...rated,
        costPico: rated.costPico - review.chargedPico,
        upstreamCostPico: (rated.upstreamCostPico ?? 0n) - (review.upstreamChargedPico ?? 0n),
      };
      const entries = usageEntries(review.event, beyond);
      const booked =
        entries.length === 0
          ? undefined
          : await appendOne(journal, {
              kind: 'adjustment',
              accountId: review.row.account_id,
              occurredAt: journal.takenAt,
              entries,
              idempotencyKey: `usage-review:${requestId}`,
              actor: caller.email,
              reason: `Usage of request ${requestId} beyond what was charged: ${reason}`,
            });
      await this.#decide(journal.manager, review, 'accepted', {
        email: caller.email,
        reason,
        number: booked?.number,
      });
      await audit(journal.manager, {
        action: 'usage_review.accept',
        object: `request ${requestId}`,
        accountId: review.row.account_id,
        reason,
        after: { amount_usd: formatUsd(-beyond.costPico), transaction: booked?.number ?? null },
      });
    });
    this.credit.changed([found.row.account_id]);
    return showReview(await this.#find(requestId));
  }

  @Handles(usageReviews.dismissUsageReview)
  async dismiss(
    @Input() { params, body }: RequestOf<typeof usageReviews.dismissUsageReview>,
    @Caller() caller: Session,
  ) {
    const { request_id: requestId } = params;
    const { reason } = body;
    await this.database.transaction(async (manager) => {
      const review = await this.#findOpen(manager, requestId);
      await this.#decide(manager, review, 'dismissed', { email: caller.email, reason, number: undefined });
      await audit(manager, {
        action: 'usage_review.dismiss',
        object: `request ${requestId}`,
        accountId: review.row.account_id,
        reason,
      });
    });
    return showReview(await this.#find(requestId));
  }

  async #find(requestId: string): Promise<UsageReview> {
    const review = await findReview(this.database, requestId);
    if (!review) throw httpError(404, 'There is no review of such a request.', 'request_id', 'not_found');
    return review;
  }

  async #findOpen(manager: Pick<DataSource, 'query'>, requestId: string): Promise<UsageReview> {
    const review = await findReview(manager, requestId, { lock: true });
    if (!review) throw httpError(404, 'There is no review of such a request.', 'request_id', 'not_found');
    if (review.row.status !== 'open')
      throw httpError(
        409,
        `It was ${review.row.status} by ${review.row.decided_by}.`,
        'request_id',
        'review_decided',
        {
          by: review.row.decided_by ?? 'system',
        },
      );
    return review;
  }

  async #decide(
    manager: Pick<DataSource, 'query'>,
    { row }: UsageReview,
    status: 'accepted' | 'dismissed',
    by: { readonly email: string; readonly reason: string; readonly number: number | undefined },
  ): Promise<void> {
    await manager.query(
      `UPDATE billing.usage_review SET status = $2, decided_at = now(), decided_by = $3, reason = $4,
         decided_number = $5 WHERE request_id = $1`,
      [row.request_id, status, by.email, by.reason, by.number ?? null],
    );
  }

  async #snapshotOf(version: number) {
    const found = await this.pricing.request(
      MESSAGE.snapshotGet,
      { version },
      unverifiedSnapshotSchema.nullable(),
    );
    if (!found) {
      const message = `Pricing does not know version ${version} of the prices any more.`;
      throw httpError(409, message, null, 'no_such_version', { version });
    }
    return verifySnapshot(found);
  }
}
