import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { margins, type RequestOf } from '@tollgate/api';
import { Handles, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { requireAttached } from '../usage/detached-months.ts';
import { readMargins } from './margins.ts';

@Controller()
@UseInterceptors(ReportTurn)
export class MarginsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(margins.getMargins)
  async show(@Input() { query }: RequestOf<typeof margins.getMargins>) {
    const { group_by, from, to } = query;
    // Nothing is taken out of the log meanwhile, but lost attempts of a month that was may be dropped: what is added up is as it was looked at.
    const { groups, total } = await this.database.transaction('REPEATABLE READ', async (manager) => {
      await requireAttached(manager, { from, to, hasAttempts: true });
      return readMargins(manager, { groupBy: group_by, from, to });
    });
    return { group_by, from: from ?? null, to: to ?? null, groups, total };
  }
}
