import {
  Body,
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
import { monthSchema } from '@tollgate/contracts';
import { Allow, column, httpError, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { openPeriod } from './calendar.ts';
import { closePeriod, NotClosable, sealPeriods } from './close-period.ts';
import { shownPeriod, summaryOf } from './period-view.ts';
import { verifyChain } from './verify-chain.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';

const listQuery = z.object({
  account_id: z
    .uuid()
    .optional()
    .meta({ description: 'Without it your own', examples: [ACCOUNT] }),
});

/** One account, or all of them. */
const whose = { account_id: z.uuid().optional(), all: z.literal(true).optional() };
const namesOne = ({ account_id, all }: { account_id?: string | undefined; all?: true | undefined }) =>
  (account_id === undefined) !== (all === undefined);
const NAME_ONE = 'give either "account_id" or "all": true';

export const closeBody = z
  .strictObject({ ...whose, month: monthSchema, reason: z.string().trim().min(1).max(500) })
  .refine(namesOne, NAME_ONE)
  .meta({ examples: [{ account_id: ACCOUNT, month: '2026-11', reason: 'Month-end closing' }] });

export const verifyBody = z
  .strictObject(whose)
  .refine(namesOne, NAME_ONE)
  .meta({ examples: [{ all: true }] });

const accountIdRow = z.object({ id: column.uuid });

@Controller('api/periods')
@UseGuards(SignedInGuard)
@UseInterceptors(ReportTurn)
export class PeriodsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** The closed periods of an account, newest first, and the one that is open. */
  @Get()
  @Allow('ledger:read-all')
  async list(
    @Req() { person }: SignedInRequest,
    @Query({ schema: listQuery }) { account_id = person.account_id }: z.infer<typeof listQuery>,
  ): Promise<object> {
    const items = (await sealPeriods(this.database, account_id)).map(summaryOf).reverse();
    const open = await openPeriod(this.database.manager, account_id);
    return {
      items,
      open: open ? { month: open.month, time_zone: open.timeZone, from: open.from, to: open.to } : null,
    };
  }

  /** A closed period with all that was frozen. */
  @Get(':account/:month')
  @Allow('ledger:read-all')
  async show(@Param('account') account: string, @Param('month') month: string): Promise<object> {
    const periods = z.uuid().safeParse(account).success ? await sealPeriods(this.database, account) : [];
    const period = periods.find((each) => each.month === month);
    if (!period)
      throw httpError(404, 'This account has no such closed period. GET /api/periods lists them.', 'month');
    return shownPeriod(period);
  }

  /**
   * Closes a month for good, of one account or of all. Closing what is closed answers what is there; of all accounts,
   * those that cannot be closed say why.
   */
  @Post('close')
  @Allow('ledger:write')
  @HttpCode(200)
  async close(
    @Req() { person }: SignedInRequest,
    @Body({ schema: closeBody }) { account_id, month, reason }: z.infer<typeof closeBody>,
  ): Promise<object> {
    const accounts = account_id === undefined ? await this.#allAccounts() : [account_id];
    const closed: object[] = [];
    const refused: { account_id: string; message: string }[] = [];
    for (const account of accounts) {
      try {
        const period = await closePeriod(this.database, account, month, { actor: person.email, reason });
        closed.push(summaryOf(period));
      } catch (error) {
        if (!(error instanceof NotClosable)) throw error;
        if (account_id !== undefined) throw httpError(409, error.message, 'month');
        refused.push({ account_id: account, message: error.message });
      }
    }
    return { closed, refused };
  }

  /** Works out closed periods anew and compares them with what was frozen. */
  @Post('verify')
  @Allow('ledger:write')
  @HttpCode(200)
  async verify(@Body({ schema: verifyBody }) { account_id }: z.infer<typeof verifyBody>): Promise<object> {
    const accounts = account_id === undefined ? await this.#allAccounts() : [account_id];
    const items = [];
    for (const account of accounts) items.push(await verifyChain(this.database, account));
    return { verified: items.every(({ first_difference }) => first_difference === null), items };
  }

  async #allAccounts(): Promise<string[]> {
    const rows = await readRows(this.database, accountIdRow, 'SELECT id FROM billing.account ORDER BY id');
    return rows.map(({ id }) => id);
  }
}
