import { Controller, Get, Inject, Param, Query, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { monthSchema } from '@tollgate/contracts';
import { Allow, httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { accountToRead } from '../accounts/account-scope.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { NoStatement, type Statement, statementOf } from './statement.ts';
import { type KeyLine, keyLines } from './statement-keys.ts';
import { type StatementSummary, statementsOf } from './statement-list.ts';
import { STATEMENT_PAGE_POLICY, statementPage } from './statement-page.ts';

const whose = {
  account_id: z
    .uuid()
    .optional()
    .meta({ description: 'Without it your own', examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
};

const listQuery = z.object({ ...whose, limit: z.coerce.number().int().min(1).max(240).default(36) });

const keysQuery = z.object(whose);

const statementQuery = z.object({
  ...whose,
  format: z.enum(['json', 'html']).default('json').meta({ description: '`html` is a page to print' }),
});

@Controller('api/statements')
@UseGuards(SignedInGuard)
@UseInterceptors(ReportTurn)
export class StatementsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** The months of an account's books, newest first, with their totals. */
  @Get()
  @Allow('ledger:read')
  async list(
    @Req() { person }: SignedInRequest,
    @Query({ schema: listQuery }) { account_id, limit }: z.infer<typeof listQuery>,
  ): Promise<{ items: StatementSummary[] }> {
    return { items: await statementsOf(this.database, accountToRead(person, account_id), limit) };
  }

  /** The usage of a month by key, the dearest first. */
  @Get(':month/keys')
  @Allow('ledger:read')
  async keys(
    @Req() { person }: SignedInRequest,
    @Param('month') month: string,
    @Query({ schema: keysQuery }) { account_id }: z.infer<typeof keysQuery>,
  ): Promise<{ items: KeyLine[] }> {
    const accountId = accountToRead(person, account_id);
    await this.#statement(accountId, month);
    return { items: await keyLines(this.database, accountId, month) };
  }

  /** What an account used and paid in a month; of a closed month always the same. */
  @Get(':month')
  @Allow('ledger:read')
  async show(
    @Req() { person }: SignedInRequest,
    @Param('month') month: string,
    @Query({ schema: statementQuery }) { account_id, format }: z.infer<typeof statementQuery>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Statement | string> {
    const statement = await this.#statement(accountToRead(person, account_id), month);
    void reply.header('cache-control', 'private, no-store');
    if (format === 'json') return statement;
    void reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': STATEMENT_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    return statementPage(statement);
  }

  async #statement(accountId: string, month: string): Promise<Statement> {
    if (!monthSchema.safeParse(month).success)
      throw httpError(400, 'month must be a month such as "2026-11".', 'month');
    try {
      return await statementOf(this.database, accountId, month);
    } catch (error) {
      if (error instanceof NoStatement) throw httpError(404, error.message, 'month');
      throw error;
    }
  }
}
