import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { notices, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input, readGatewayHealth } from '@tollgate/platform';
import { isAllowed, type Permission } from '@tollgate/vocabulary';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { REDIS, REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import {
  findBudgets,
  findEndingKeys,
  findFailedExports,
  findRejectedUsage,
  findShortage,
  findUpstreamNotices,
} from './find-notices.ts';

/** What somebody should know without asking. */
@Controller()
@UseInterceptors(ReportTurn)
export class NoticesController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  @Handles(notices.listNotices)
  async list(@Input() _: RequestOf<typeof notices.listNotices>, @Caller() caller: Session) {
    const may = (permission: Permission) => isAllowed(caller.role, permission);
    const account = caller.account_id;
    const lists = await Promise.all([
      findShortage(this.database, account),
      // What Redis does not tell is told by the page of the system; the rest is told all the same.
      may('catalogue:write') ? readGatewayHealth(this.redis).then(findUpstreamNotices, () => []) : [],
      may('ledger:read-all') ? findRejectedUsage(this.database) : [],
      findBudgets(this.database, account),
      findFailedExports(this.database, may('ledger:read-all') ? undefined : account),
      findEndingKeys(this.database, account),
    ]);
    return { items: lists.flat() };
  }
}
