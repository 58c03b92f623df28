import { Controller, Get, Inject, Query, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { mustKeepBooks } from '../accounts/account-scope.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
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
  list(
    @Req() { person }: SignedInRequest,
    @Query({ schema: auditListQuery }) query: AuditFilter,
  ): Promise<object> {
    mustKeepBooks(person);
    return listAudit(this.database, query);
  }
}
