import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { auditLog, type RequestOf } from '@tollgate/api';
import { Handles, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { listAudit } from './audit-list.ts';

@Controller()
@UseInterceptors(ReportTurn)
export class AuditLogController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(auditLog.listAuditLog)
  list(@Input() { query }: RequestOf<typeof auditLog.listAuditLog>) {
    return listAudit(this.database, query);
  }
}
