import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { overview, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { readOverview } from './read-overview.ts';

const DAY_MS = 86_400_000;

/** For operators: all accounts at a glance. */
@Controller()
@UseInterceptors(ReportTurn)
export class OverviewController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(overview.showOverview)
  show(@Input() { query }: RequestOf<typeof overview.showOverview>, @Caller() caller: Session) {
    const { bucket, to = new Date().toISOString() } = query;
    const from = query.from ?? new Date(Date.parse(to) - DAY_MS).toISOString();
    return readOverview(this.database, { zoneOf: caller.account_id, from, to, bucket });
  }
}
