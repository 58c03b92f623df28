import { Controller, Get, Inject, Query, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { modelSchema } from '@tollgate/catalogue';
import { Allow } from '@tollgate/platform';
import { momentSchema } from '@tollgate/contracts';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { accountFor, accountToRead } from '../accounts/account-scope.ts';
import { audit } from '../audit-log/audit.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { DATABASE, REPORT_TURNS, REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import type { ReportTurns } from '../reports/report-turns.ts';
import { usageCsv } from './usage-csv.ts';
import { usageLog, type UsagePage } from './usage-log.ts';
import { SUMMARY_GROUPS, usageSummary } from './usage-summary.ts';

const DAY_MS = 86_400_000;
const filters = {
  account_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
  key_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000002'] }),
  model: modelSchema.shape.name.optional().meta({ examples: ['acme-large'] }),
  request_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description: 'One request, by its x-request-id',
      examples: ['req_0198f1c27d1e70008000000000000003'],
    }),
  from: momentSchema.optional().meta({ description: 'Inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: momentSchema.optional().meta({ description: 'Exclusive', examples: ['2026-12-01T00:00:00Z'] }),
};

const usageQuery = z.object({
  ...filters,
  cursor: z.string().max(400).optional().meta({ description: '`next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

const csvQuery = z.object(filters);

const summaryQuery = z.object({
  account_id: filters.account_id,
  from: momentSchema.optional().meta({
    description: 'Rounded down to the beginning of its bucket; 30 days before `to` where it is left out',
    examples: ['2026-11-01T00:00:00Z'],
  }),
  to: momentSchema.optional().meta({
    description: 'Exclusive, now where it is left out; the hour that it falls into is counted whole',
    examples: ['2026-12-01T00:00:00Z'],
  }),
  bucket: z.enum(['hour', 'day']).default('day').meta({ description: "Of the account's time zone" }),
  by: z.enum(SUMMARY_GROUPS).default('model').meta({ description: 'What the series are of' }),
});

@Controller('api')
@UseGuards(SignedInGuard)
export class UsageController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(DATABASE) private readonly changes: DataSource,
    @Inject(REPORT_TURNS) private readonly turns: ReportTurns,
  ) {}

  /** Every relayed request with its tokens and its cost, newest first. */
  @Get('usage')
  @Allow('usage:read')
  @UseInterceptors(ReportTurn)
  list(
    @Req() request: SignedInRequest,
    @Query({ schema: usageQuery }) query: z.infer<typeof usageQuery>,
  ): Promise<UsagePage> {
    const { account_id, key_id, request_id, ...rest } = query;
    return usageLog(this.database, {
      ...rest,
      accountId: accountFor(request.person, account_id),
      keyId: key_id,
      requestId: request_id,
    });
  }

  /** Sums over time, by model, by key or by how requests ended, with what was spent and how long answers took. */
  @Get('usage/summary')
  @Allow('usage:read')
  @UseInterceptors(ReportTurn)
  summary(
    @Req() { person }: SignedInRequest,
    @Query({ schema: summaryQuery }) { account_id, bucket, by, ...span }: z.infer<typeof summaryQuery>,
  ): Promise<object> {
    const to = span.to ?? new Date().toISOString();
    const from = span.from ?? new Date(Date.parse(to) - 30 * DAY_MS).toISOString();
    const accountId = accountToRead(person, account_id);
    return usageSummary(this.database, { accountId, from, to, bucket, by });
  }

  /** All that the filters let through as CSV, newest first. */
  @Get('usage.csv')
  @Allow('usage:read')
  async csv(
    @Req() { person }: SignedInRequest,
    @Query({ schema: csvQuery }) { account_id, key_id, ...rest }: z.infer<typeof csvQuery>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const accountId = accountFor(person, account_id);
    await audit(this.changes, {
      action: 'usage.download',
      accountId: accountId ?? null,
      after: { ...rest, key_id: key_id ?? null },
    });
    const filter = { ...rest, accountId, keyId: key_id };
    await reply
      .type('text/csv; charset=utf-8')
      .headers({
        'content-disposition': 'attachment; filename="usage.csv"',
        'cache-control': 'private, no-store',
      })
      .send(usageCsv((wanted) => this.turns.part(person, () => usageLog(this.database, wanted)), filter));
  }
}
