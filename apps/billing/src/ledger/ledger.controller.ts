import { Controller, Get, Inject, Query, Req, UseGuards } from '@nestjs/common';
import { formatUsd } from '@tollgate/money';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { accountFor } from '../accounts/account-scope.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { DATABASE } from '../provided.ts';

const balanceQuery = z.object({
  account_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
});

@Controller('api/ledger')
@UseGuards(SignedInGuard)
export class LedgerController {
  constructor(@Inject(DATABASE) private readonly database: DataSource) {}

  /** The balance of an account: what was paid in less what was used. */
  @Get('balance')
  async balance(
    @Req() request: SignedInRequest,
    @Query({ schema: balanceQuery }) query: z.infer<typeof balanceQuery>,
  ): Promise<object> {
    const accountId = accountFor(request.person, query.account_id);
    const [row]: { balance: string }[] = await this.database.query(
      'SELECT coalesce(sum(amount_pico), 0)::text AS balance FROM billing.ledger_entry WHERE ledger_account = $1',
      [`customer:${accountId}`],
    );
    return { account_id: accountId, balance_usd: formatUsd(BigInt(row?.balance ?? '0')) };
  }
}
