import { Controller, Get, Inject, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { Allow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { SignedInGuard } from '../auth/signed-in.guard.ts';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { type AuditFilter, auditListQuery, listAudit } from './audit-list.ts';

@Controller('api/audit-log')
@UseGuards(SignedInGuard)
@UseInterceptors(ReportTurn)
export class AuditLogController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** Who did what, the newest first; what was published in the catalogue too. */
  @Get()
  @Allow('audit-log:read')
  list(@Query({ schema: auditListQuery }) query: AuditFilter): Promise<object> {
    return listAudit(this.database, query);
  }
}
