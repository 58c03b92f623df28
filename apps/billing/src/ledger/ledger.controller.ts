import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { momentSchema } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { Allow, httpError } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { accountToRead, keepsBooks, mustKeepBooks } from '../accounts/account-scope.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { LEDGER_AUDITS, REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { type AuditReport, type LedgerAudits, shownAudit } from './audit.ts';
import { TRANSACTION_KINDS } from './journal.ts';
import { listTransactions, shownToBookkeeper, shownToCustomer } from './transaction-list.ts';
import {
  accountNames,
  type BookedTransaction,
  correctionsOf,
  readBalance,
  readTransaction,
} from './transactions.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';

const balanceQuery = z.object({
  account_id: z
    .uuid()
    .toLowerCase()
    .optional()
    .meta({ examples: [ACCOUNT] }),
});

const listQuery = z.object({
  account_id: z
    .union([z.uuid().toLowerCase(), z.literal('all')])
    .optional()
    .meta({ description: 'Your own without it; `all` for those who keep the books', examples: [ACCOUNT] }),
  kind: z.enum(TRANSACTION_KINDS).optional(),
  from: momentSchema
    .optional()
    .meta({ description: 'Of booked_at, inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: momentSchema
    .optional()
    .meta({ description: 'Of booked_at, exclusive', examples: ['2026-12-01T00:00:00Z'] }),
  cursor: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: '`next` of the page before', examples: [1042] }),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

@Controller('api/ledger')
@UseGuards(SignedInGuard)
export class LedgerController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(LEDGER_AUDITS) private readonly audits: LedgerAudits,
  ) {}

  /** The balance of an account: what was paid in less what was used, as of a transaction. */
  @Get('balance')
  @Allow('ledger:read')
  async balance(
    @Req() request: SignedInRequest,
    @Query({ schema: balanceQuery }) query: z.infer<typeof balanceQuery>,
  ): Promise<object> {
    const accountId = accountToRead(request.person, query.account_id);
    const { balancePico, lastNumber } = await readBalance(this.database, accountId);
    return { account_id: accountId, balance_usd: formatUsd(balancePico), last_number: lastNumber };
  }

  /** Every transaction of an account, the newest first; with its entries for those who keep the books. */
  @Get('transactions')
  @Allow('ledger:read')
  @UseInterceptors(ReportTurn)
  async list(
    @Req() { person }: SignedInRequest,
    @Query({ schema: listQuery }) { account_id, ...filter }: z.infer<typeof listQuery>,
  ): Promise<object> {
    if (account_id === 'all') mustKeepBooks(person);
    const { items, next } = await listTransactions(this.database, {
      ...filter,
      accountId: account_id === 'all' ? undefined : accountToRead(person, account_id),
    });
    if (!keepsBooks(person)) return { items: items.map(shownToCustomer), next };
    const names = await accountNames(
      this.database,
      items.map(({ accountId }) => accountId),
    );
    const named = (item: BookedTransaction) => ({
      ...shownToBookkeeper(item),
      account_name: names.get(item.accountId) ?? null,
    });
    return { items: items.map(named), next };
  }

  @Get('transactions/:number')
  @Allow('ledger:read')
  async show(@Req() { person }: SignedInRequest, @Param('number') number: string): Promise<object> {
    const transaction = /^[1-9]\d{0,14}$/.test(number)
      ? await readTransaction(this.database, { number: Number(number) })
      : undefined;
    if (!transaction || (transaction.accountId !== person.account_id && !keepsBooks(person))) {
      throw httpError(404, 'There is no such transaction.', 'number');
    }
    const show = keepsBooks(person) ? shownToBookkeeper : shownToCustomer;
    return { ...show(transaction), corrected_by: await correctionsOf(this.database, transaction.number) };
  }

  /** Checks the whole ledger and answers what differs from what must hold. */
  @Post('audits')
  @Allow('ledger:write')
  @HttpCode(200)
  @UseInterceptors(ReportTurn)
  async audit(): Promise<object> {
    const report: AuditReport = await this.audits.complete();
    return shownAudit(report);
  }
}
