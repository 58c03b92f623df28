import { Controller, Inject, Res, UseInterceptors } from '@nestjs/common';
import { type RequestOf, usage } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { audit } from '../audit-log/audit.ts';
import { DATABASE, REPORT_TURNS, REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import type { ReportTurns } from '../reports/report-turns.ts';
import { usageCsv } from './usage-csv.ts';
import { usageLog } from './usage-log.ts';
import { usageSummary } from './usage-summary.ts';

const DAY_MS = 86_400_000;

@Controller()
export class UsageController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(DATABASE) private readonly changes: DataSource,
    @Inject(REPORT_TURNS) private readonly turns: ReportTurns,
  ) {}

  @Handles(usage.listUsage)
  @UseInterceptors(ReportTurn)
  list(@Input() { query }: RequestOf<typeof usage.listUsage>, @Caller() caller: Session) {
    const { account_id = caller.account_id, key_id, request_id, ...rest } = query;
    const filter = { ...rest, accountId: account_id, keyId: key_id, requestId: request_id };
    return usageLog(this.database, filter);
  }

  @Handles(usage.summariseUsage)
  @UseInterceptors(ReportTurn)
  summary(@Input() { query }: RequestOf<typeof usage.summariseUsage>, @Caller() caller: Session) {
    const { account_id = caller.account_id, bucket, by, to = new Date().toISOString() } = query;
    const from = query.from ?? new Date(Date.parse(to) - 30 * DAY_MS).toISOString();
    return usageSummary(this.database, { accountId: account_id, from, to, bucket, by });
  }

  @Handles(usage.downloadUsage)
  async csv(
    @Input() { query }: RequestOf<typeof usage.downloadUsage>,
    @Caller() caller: Session,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { account_id = caller.account_id, key_id, request_id, ...rest } = query;
    await audit(this.changes, {
      action: 'usage.download',
      accountId: account_id,
      after: { ...rest, request_id, key_id: key_id ?? null },
    });
    const filter = { ...rest, accountId: account_id, keyId: key_id, requestId: request_id };
    const rows = usageCsv((page) => this.turns.part(caller, () => usageLog(this.database, page)), filter);
    await reply
      .type(usage.downloadUsage.answer.contentType)
      .headers({
        'content-disposition': 'attachment; filename="usage.csv"',
        'cache-control': 'private, no-store',
      })
      .send(rows);
  }
}
