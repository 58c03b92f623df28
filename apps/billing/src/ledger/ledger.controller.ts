import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { ledger, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import { isAllowed } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { AUDIT_WORK, REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { awaitWork, type ResumedWork } from '../periods/resumed-work.ts';
import { beginAudit, findAudit, listAudits, showAudit } from './audit-runs.ts';
import { listTransactions, shownToBookkeeper, shownToCustomer, sumTransactions } from './transaction-list.ts';
import { accountNames, listCorrections, readBalance, readTransaction } from './transactions.ts';

@Controller()
export class LedgerController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(AUDIT_WORK) private readonly audits: ResumedWork,
  ) {}

  @Handles(ledger.getBalance)
  async balance(@Input() { query }: RequestOf<typeof ledger.getBalance>, @Caller() caller: Session) {
    const { account_id = caller.account_id } = query;
    const { balancePico, lastNumber } = await readBalance(this.database, account_id);
    return { account_id, balance_usd: formatUsd(balancePico), last_number: lastNumber };
  }

  @Handles(ledger.listTransactions)
  @UseInterceptors(ReportTurn)
  async list(@Input() { query }: RequestOf<typeof ledger.listTransactions>, @Caller() caller: Session) {
    const { account_id = caller.account_id, ...filter } = query;
    const accountId = account_id === 'all' ? undefined : account_id;
    const { items, next } = await listTransactions(this.database, { ...filter, accountId });
    if (!isAllowed(caller.role, 'ledger:read-all')) return { items: items.map(shownToCustomer), next };
    const names = await accountNames(
      this.database,
      items.map((item) => item.accountId),
    );
    const named = items.map((item) => ({
      ...shownToBookkeeper(item),
      account_name: names.get(item.accountId) ?? null,
    }));
    return { items: named, next };
  }

  @Handles(ledger.sumTransactions)
  @UseInterceptors(ReportTurn)
  sum(@Input() { query }: RequestOf<typeof ledger.sumTransactions>, @Caller() caller: Session) {
    const { account_id = caller.account_id, ...filter } = query;
    return sumTransactions(this.database, {
      ...filter,
      accountId: account_id === 'all' ? undefined : account_id,
    });
  }

  @Handles(ledger.getTransaction)
  async show(@Input() { params }: RequestOf<typeof ledger.getTransaction>, @Caller() caller: Session) {
    const readsAll = isAllowed(caller.role, 'ledger:read-all');
    const transaction = await readTransaction(this.database, { number: Number(params.number) });
    if (!transaction || (transaction.accountId !== caller.account_id && !readsAll)) {
      throw httpError(404, 'There is no such transaction.', 'number', 'not_found');
    }
    const shown = readsAll ? shownToBookkeeper(transaction) : shownToCustomer(transaction);
    return { ...shown, corrected_by: await listCorrections(this.database, transaction.number) };
  }

  @Handles(ledger.auditLedger)
  @UseInterceptors(ReportTurn)
  async audit(@Input() { body }: RequestOf<typeof ledger.auditLedger>, @Caller() { email }: Session) {
    const id = await beginAudit(this.database, { isFromStart: body.from_start, startedBy: email });
    return awaitWork(this.audits, () => this.#findAudit(id));
  }

  @Handles(ledger.listAudits)
  async listAudits() {
    return { items: (await listAudits(this.database)).map(showAudit) };
  }

  @Handles(ledger.getAudit)
  getAudit(@Input() { params }: RequestOf<typeof ledger.getAudit>) {
    return this.#findAudit(params.id);
  }

  async #findAudit(id: string) {
    const found = await findAudit(this.database, id);
    if (!found) throw httpError(404, 'There is no such audit.', 'id', 'not_found');
    return showAudit(found);
  }
}
