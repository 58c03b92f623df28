import { Controller, Inject, Res, UseInterceptors } from '@nestjs/common';
import { type AnswerOf, periods, type RequestOf } from '@tollgate/api';
import { monthSchema, type Session } from '@tollgate/contracts';
import { Caller, column, Handles, httpError, Input, readRows } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { PERIOD_WORK, REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { readAccountMonths, toMonthsCsv } from './account-months.ts';
import { openPeriod } from './calendar.ts';
import { closePeriod, NotClosable } from './close-period.ts';
import { shownPeriod, toSummary } from './period-view.ts';
import { awaitWork, type ResumedWork } from './resumed-work.ts';
import { listUnsealed, StillSealing } from './seal-periods.ts';
import { closedPeriods } from './sealed-period.ts';
import { beginVerification, findVerification, listVerifications } from './verifications.ts';

type Closing = AnswerOf<typeof periods.closePeriods>;

const toRefusal = ({ message, reason }: NotClosable) =>
  reason.code === 'periods_in_order'
    ? httpError(409, message, 'month', reason.code, reason.values)
    : reason.code === 'period_not_over'
      ? httpError(409, message, 'month', reason.code, reason.values)
      : httpError(409, message, 'month', reason.code);

/** Small months are sealed while whoever asked waits; of larger ones they are told how far it is. */
const SEAL_WAIT_MS = 10_000;

const accountIdRow = z.object({ id: column.uuid });

@Controller()
@UseInterceptors(ReportTurn)
export class PeriodsController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(PERIOD_WORK) private readonly work: ResumedWork,
  ) {}

  @Handles(periods.listPeriods)
  async list(@Input() { query }: RequestOf<typeof periods.listPeriods>, @Caller() caller: Session) {
    const { account_id = caller.account_id } = query;
    const { manager } = this.database;
    const closed = await closedPeriods(manager, { accountId: account_id });
    const items = closed.flatMap(({ sealed }) => (sealed ? [toSummary(sealed)] : [])).reverse();
    const open = await openPeriod(manager, account_id);
    return {
      items,
      sealing: await listUnsealed(manager, account_id),
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
    const isAccount = z.uuid().safeParse(account).success && monthSchema.safeParse(month).success;
    const [period] = isAccount
      ? await closedPeriods(this.database.manager, { accountId: account, month })
      : [];
    if (!period?.sealed)
      throw httpError(
        404,
        'This account has no such closed period, or it is not sealed yet. GET /api/periods lists them.',
        'month',
        'not_found',
      );
    return shownPeriod(period.sealed);
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
    const isSealing = new Set<string>();
    const signal = AbortSignal.timeout(SEAL_WAIT_MS);
    for (const account of accounts) {
      try {
        const period = await closePeriod(this.database, account, month, { actor: email, reason }, signal);
        closed.push(toSummary(period));
      } catch (error) {
        if (error instanceof StillSealing) {
          isSealing.add(account);
        } else {
          if (!(error instanceof NotClosable)) throw error;
          if (account_id !== undefined) throw toRefusal(error);
          refused.push({ account_id: account, message: error.message, ...error.reason });
        }
      }
    }
    this.work.wake();
    const unsealed = isSealing.size === 0 ? [] : await listUnsealed(this.database, account_id);
    return { closed, refused, sealing: unsealed.filter((each) => isSealing.has(each.account_id)) };
  }

  @Handles(periods.verifyPeriods)
  async verify(@Input() { body }: RequestOf<typeof periods.verifyPeriods>, @Caller() { email }: Session) {
    const id = await beginVerification(this.database, {
      accountId: body.account_id,
      isFromStart: body.from_start,
      startedBy: email,
    });
    return awaitWork(this.work, () => this.#findVerification(id));
  }

  @Handles(periods.listVerifications)
  async listVerifications() {
    return { items: await listVerifications(this.database.manager) };
  }

  @Handles(periods.getVerification)
  getVerification(@Input() { params }: RequestOf<typeof periods.getVerification>) {
    return this.#findVerification(params.id);
  }

  async #findVerification(id: string) {
    const found = await findVerification(this.database.manager, id);
    if (!found) throw httpError(404, 'There is no such verification.', 'id', 'not_found');
    return found;
  }

  async #allAccounts(): Promise<string[]> {
    const rows = await readRows(this.database, accountIdRow, 'SELECT id FROM billing.account ORDER BY id');
    return rows.map(({ id }) => id);
  }
}
