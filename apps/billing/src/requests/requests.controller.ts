import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { ALL_ACCOUNTS, type RequestOf, requests } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import { isAllowed } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { countRequests } from './request-counts.ts';
import { findRequest, listRequests } from './request-list.ts';
import { sumRequests } from './request-totals.ts';

const DAY_MS = 86_400_000;

@Controller()
@UseInterceptors(ReportTurn)
export class RequestsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(requests.listRequests)
  list(
    @Input() { query: { account_id, ...filter } }: RequestOf<typeof requests.listRequests>,
    @Caller() caller: Session,
  ) {
    requireServing(filter.upstream, caller);
    const accountId = toAccountId(account_id, caller);
    return listRequests(this.database, { ...filter, accountId }, seesServing(caller));
  }

  @Handles(requests.sumRequests)
  sum(
    @Input() { query: { account_id, ...filter } }: RequestOf<typeof requests.sumRequests>,
    @Caller() caller: Session,
  ) {
    requireServing(filter.upstream, caller);
    return sumRequests(this.database, { ...filter, accountId: toAccountId(account_id, caller) });
  }

  @Handles(requests.countRequests)
  count(@Input() { query }: RequestOf<typeof requests.countRequests>, @Caller() caller: Session) {
    const accountId = toAccountId(query.account_id, caller);
    const { bucket, to = new Date().toISOString() } = query;
    const from = query.from ?? new Date(Date.parse(to) - DAY_MS).toISOString();
    const zoneOf = accountId ?? caller.account_id;
    return countRequests(this.database, { accountId, zoneOf, from, to, bucket });
  }

  @Handles(requests.showRequest)
  async show(@Input() { params: { id } }: RequestOf<typeof requests.showRequest>, @Caller() caller: Session) {
    const sees = seesServing(caller);
    const found = await findRequest(this.database, id, sees ? undefined : caller.account_id, sees);
    if (!found) throw httpError(404, 'There is no such request.', null, 'not_found');
    return found;
  }
}

const seesServing = ({ role }: Session): boolean => isAllowed(role, 'requests:read-all');

function requireServing(upstream: string | undefined, caller: Session): void {
  if (upstream !== undefined && !seesServing(caller))
    throw httpError(403, 'Upstreams are shown to operators alone.', 'upstream', 'operators_only');
}

/** Undefined for all; the guard has looked whether the caller may. */
const toAccountId = (named: string | undefined, caller: Session): string | undefined =>
  named === ALL_ACCOUNTS ? undefined : (named ?? caller.account_id);
