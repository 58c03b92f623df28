import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { type RequestOf, search } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input } from '@tollgate/platform';
import { isAllowed } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { findRequest } from '../requests/request-list.ts';
import { findAccounts, findKeys, findPeople } from './find-things.ts';

const NOTHING = { accounts: [], people: [], requests: [] };

/** One box that finds what there is, and of that what the caller may see. */
@Controller()
@UseInterceptors(ReportTurn)
export class SearchController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(search.search)
  async search(
    @Input() { query: { find, account_id } }: RequestOf<typeof search.search>,
    @Caller() caller: Session,
  ) {
    const may = (permission: Parameters<typeof isAllowed>[1]) => isAllowed(caller.role, permission);
    // The guard has looked whether the caller may name it.
    const keysOf = account_id ?? (may('ledger:read-all') ? undefined : caller.account_id);
    const ownerId = may('keys:read-all') ? undefined : caller.user_id;
    const keys = await findKeys(this.database, find, keysOf, ownerId);
    if (find === '' || account_id !== undefined) return { keys, ...NOTHING };
    const seesAllRequests = may('requests:read-all');
    const request = await findRequest(
      this.database,
      find,
      seesAllRequests ? undefined : caller.account_id,
      false,
    );
    return {
      keys,
      accounts: may('accounts:read-all') ? await findAccounts(this.database, find) : [],
      people: may('members:write') ? await findPeople(this.database, find) : [],
      requests: request
        ? [
            {
              request_id: request.request_id,
              occurred_at: request.occurred_at,
              http_status: request.http_status,
              account_id: request.account_id,
            },
          ]
        : [],
    };
  }
}
