import { Controller, Inject, Res, UseInterceptors } from '@nestjs/common';
import { type RequestOf, statements } from '@tollgate/api';
import { monthSchema, type Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { NoStatement, type Statement, readStatement } from './statement.ts';
import { keyLines } from './statement-keys.ts';
import { listStatements } from './statement-list.ts';
import { STATEMENT_PAGE_POLICY, statementPage } from './statement-page.ts';

type Statements = typeof statements;

@Controller()
@UseInterceptors(ReportTurn)
export class StatementsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(statements.listStatements)
  async list(@Input() { query }: RequestOf<Statements['listStatements']>, @Caller() caller: Session) {
    const accountId = query.account_id ?? caller.account_id;
    return { items: await listStatements(this.database, accountId, query.limit) };
  }

  @Handles(statements.listStatementKeys)
  async keys(
    @Input() { params, query }: RequestOf<Statements['listStatementKeys']>,
    @Caller() caller: Session,
  ) {
    const accountId = query.account_id ?? caller.account_id;
    await this.#statement(accountId, params.month);
    return { items: await keyLines(this.database, accountId, params.month) };
  }

  @Handles(statements.showStatement)
  async show(
    @Input() { params, query }: RequestOf<Statements['showStatement']>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Statement | string> {
    const statement = await this.#statement(query.account_id ?? caller.account_id, params.month);
    void reply.header('cache-control', 'private, no-store');
    if (query.format === 'json') return statement;
    void reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': STATEMENT_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    return statementPage(statement, query.language);
  }

  async #statement(accountId: string, month: string): Promise<Statement> {
    if (!monthSchema.safeParse(month).success)
      throw httpError(400, 'month must be a month such as "2026-11".', 'month', 'not_a_month');
    try {
      return await readStatement(this.database, accountId, month);
    } catch (error) {
      if (error instanceof NoStatement) throw httpError(404, error.message, 'month', 'month_not_known');
      throw error;
    }
  }
}
