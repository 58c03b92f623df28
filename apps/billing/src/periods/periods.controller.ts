import { Controller, Inject, Res, UseInterceptors } from '@nestjs/common';
import { type AnswerOf, periods, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, column, Handles, httpError, Input, readRows } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { readAccountMonths, toMonthsCsv } from './account-months.ts';
import { openPeriod } from './calendar.ts';
import { closePeriod, NotClosable, sealPeriods } from './close-period.ts';
import { shownPeriod, toSummary } from './period-view.ts';
import { verifyChain } from './verify-chain.ts';

type Closing = AnswerOf<typeof periods.closePeriods>;

const toRefusal = ({ message, reason }: NotClosable) =>
  reason.code === 'periods_in_order'
    ? httpError(409, message, 'month', reason.code, reason.values)
    : reason.code === 'period_not_over'
      ? httpError(409, message, 'month', reason.code, reason.values)
      : httpError(409, message, 'month', reason.code);

const accountIdRow = z.object({ id: column.uuid });

@Controller()
@UseInterceptors(ReportTurn)
export class PeriodsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(periods.listPeriods)
  async list(@Input() { query }: RequestOf<typeof periods.listPeriods>, @Caller() caller: Session) {
    const { account_id = caller.account_id } = query;
    const items = (await sealPeriods(this.database, account_id)).map(toSummary).reverse();
    const open = await openPeriod(this.database.manager, account_id);
    return {
      items,
      open: open ? { month: open.month, time_zone: open.timeZone, from: open.from, to: open.to } : null,
    };
  }

  @Handles(periods.listAccountMonths)
  listAccountMonths(@Input() { query }: RequestOf<typeof periods.listAccountMonths>) {
    return readAccountMonths(this.database, query);
  }

  @Handles(periods.downloadAccountMonths)
  async downloadAccountMonths(
    @Input() { query }: RequestOf<typeof periods.downloadAccountMonths>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    void reply.type(periods.downloadAccountMonths.answer.contentType).headers({
      'content-disposition': 'attachment; filename="months.csv"',
      'cache-control': 'private, no-store',
    });
    return toMonthsCsv(await readAccountMonths(this.database, query));
  }

  @Handles(periods.getPeriod)
  async show(@Input() { params }: RequestOf<typeof periods.getPeriod>) {
    const { account, month } = params;
    const closed = z.uuid().safeParse(account).success ? await sealPeriods(this.database, account) : [];
    const period = closed.find((each) => each.month === month);
    if (!period)
      throw httpError(
        404,
        'This account has no such closed period. GET /api/periods lists them.',
        'month',
        'not_found',
      );
    return shownPeriod(period);
  }

  @Handles(periods.closePeriods)
  async close(
    @Input() { body }: RequestOf<typeof periods.closePeriods>,
    @Caller() { email }: Session,
  ): Promise<Closing> {
    const { account_id, month, reason } = body;
    const accounts = account_id === undefined ? await this.#allAccounts() : [account_id];
    const closed: Closing['closed'][number][] = [];
    const refused: Closing['refused'][number][] = [];
    for (const account of accounts) {
      try {
        const period = await closePeriod(this.database, account, month, { actor: email, reason });
        closed.push(toSummary(period));
      } catch (error) {
        if (!(error instanceof NotClosable)) throw error;
        if (account_id !== undefined) throw toRefusal(error);
        refused.push({ account_id: account, message: error.message });
      }
    }
    return { closed, refused };
  }

  @Handles(periods.verifyPeriods)
  async verify(@Input() { body }: RequestOf<typeof periods.verifyPeriods>) {
    const accounts = body.account_id === undefined ? await this.#allAccounts() : [body.account_id];
    const items = [];
    for (const account of accounts) items.push(await verifyChain(this.database, account));
    return { verified: items.every(({ first_difference }) => first_difference === null), items };
  }

  async #allAccounts(): Promise<string[]> {
    const rows = await readRows(this.database, accountIdRow, 'SELECT id FROM billing.account ORDER BY id');
    return rows.map(({ id }) => id);
  }
}
