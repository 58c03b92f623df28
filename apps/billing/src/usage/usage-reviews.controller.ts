import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { unverifiedSnapshotSchema, verifySnapshot } from '@tollgate/catalogue';
import { MESSAGE } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { Allow, httpError, type RequestReplyClient } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import type { Credit } from '../credit/credit.ts';
import { plainText } from '../ledger/operation-bodies.ts';
import { appendOne } from '../ledger/transactions.ts';
import { withJournal } from '../ledger/journal.ts';
import { CREDIT, DATABASE, PRICING } from '../provided.ts';
import { usageEntries } from './posting.ts';
import {
  findReview,
  listReviews,
  rateReported,
  REVIEW_STATUSES,
  shownReview,
  type UsageReview,
} from './usage-reviews.ts';

const listQuery = z.object({
  status: z.enum(REVIEW_STATUSES).default('open'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
const decisionBody = z
  .strictObject({ reason: plainText(500).meta({ description: 'Why. It stands in the audit log.' }) })
  .meta({ examples: [{ reason: 'The upstream searched the web and its invoice says so' }] });

/** Requests whose upstream reported more than they can have had. They are charged what they can have had. */
@Controller('api/finance/usage-reviews')
@UseGuards(SignedInGuard)
export class UsageReviewsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(PRICING) private readonly pricing: RequestReplyClient,
    @Inject(CREDIT) private readonly credit: Pick<Credit, 'changed'>,
  ) {}

  @Get()
  @Allow('ledger:read-all')
  async list(@Query({ schema: listQuery }) query: z.infer<typeof listQuery>): Promise<object> {
    const reviews = await listReviews(this.database, query);
    return { items: reviews.map(shownReview) };
  }

  /** The reported figures are right: what they cost beyond the bound is booked as well. */
  @Post(':request_id/accept')
  @HttpCode(200)
  @Allow('ledger:write')
  async accept(
    @Req() { person }: SignedInRequest,
    @Param('request_id') requestId: string,
    @Body({ schema: decisionBody }) { reason }: z.infer<typeof decisionBody>,
  ): Promise<object> {
    const found = await this.#find(requestId);
    const snapshot = await this.#snapshotOf(found.event.snapshot_version);
    const rated = rateReported(found, snapshot);
    if (!rated) throw httpError(409, 'The reported figures have no price. Dismiss them.', 'request_id');
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
              occurredAt: new Date().toISOString(),
              entries,
              idempotencyKey: `usage-review:${requestId}`,
              actor: person.email,
              reason: `Usage of request ${requestId} beyond what was charged: ${reason}`,
            });
      await this.#decide(journal.manager, review, 'accepted', {
        email: person.email,
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
    return shownReview(await this.#find(requestId));
  }

  /** The reported figures are wrong: what was charged stays. */
  @Post(':request_id/dismiss')
  @HttpCode(200)
  @Allow('ledger:write')
  async dismiss(
    @Req() { person }: SignedInRequest,
    @Param('request_id') requestId: string,
    @Body({ schema: decisionBody }) { reason }: z.infer<typeof decisionBody>,
  ): Promise<object> {
    await this.database.transaction(async (manager) => {
      const review = await this.#findOpen(manager, requestId);
      await this.#decide(manager, review, 'dismissed', { email: person.email, reason, number: undefined });
      await audit(manager, {
        action: 'usage_review.dismiss',
        object: `request ${requestId}`,
        accountId: review.row.account_id,
        reason,
      });
    });
    return shownReview(await this.#find(requestId));
  }

  async #find(requestId: string): Promise<UsageReview> {
    const review = /^[\w-]{1,64}$/.test(requestId) ? await findReview(this.database, requestId) : undefined;
    if (!review) throw httpError(404, 'There is no review of such a request.', 'request_id');
    return review;
  }

  async #findOpen(manager: Pick<DataSource, 'query'>, requestId: string): Promise<UsageReview> {
    const review = await findReview(manager, requestId, { lock: true });
    if (!review) throw httpError(404, 'There is no review of such a request.', 'request_id');
    if (review.row.status !== 'open')
      throw httpError(409, `It was ${review.row.status} by ${review.row.decided_by}.`, 'request_id');
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
    if (!found) throw httpError(409, `Pricing does not know version ${version} of the prices any more.`);
    return verifySnapshot(found);
  }
}
