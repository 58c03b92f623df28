import { Controller, Get, Inject, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { momentSchema } from '@tollgate/contracts';
import { Allow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { SignedInGuard } from '../auth/signed-in.guard.ts';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { MARGIN_GROUPS, readMargins } from './margins.ts';

const marginsQuery = z.object({
  group_by: z.enum(MARGIN_GROUPS).default('model'),
  from: momentSchema
    .optional()
    .meta({ description: 'Of booked_at, inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: momentSchema
    .optional()
    .meta({ description: 'Of booked_at, exclusive', examples: ['2026-12-01T00:00:00Z'] }),
});

@Controller('api/finance/margins')
@UseGuards(SignedInGuard)
@UseInterceptors(ReportTurn)
export class MarginsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** Revenue, what upstreams charge, and the margin: by model, pool, customer, upstream or vendor. */
  @Get()
  @Allow('ledger:read-all')
  async margins(
    @Query({ schema: marginsQuery }) { group_by, from, to }: z.infer<typeof marginsQuery>,
  ): Promise<object> {
    const { groups, total } = await readMargins(this.database, { groupBy: group_by, from, to });
    return { group_by, from: from ?? null, to: to ?? null, groups, total };
  }
}
