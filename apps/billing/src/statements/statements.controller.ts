import { Controller, Get, Inject, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { accountFor, keepsBooks } from '../accounts/account-scope.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { monthSchema } from '../periods/calendar.ts';
import { DATABASE } from '../provided.ts';
import { NoStatement, type Statement, statementOf } from './statement.ts';
import { STATEMENT_PAGE_POLICY, statementPage } from './statement-page.ts';

const statementQuery = z.object({
  account_id: z
    .uuid()
    .optional()
    .meta({ description: 'Without it your own', examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
  format: z.enum(['json', 'html']).default('json').meta({ description: '`html` is a page to print' }),
});

@Controller('api/statements')
@UseGuards(SignedInGuard)
export class StatementsController {
  constructor(@Inject(DATABASE) private readonly database: DataSource) {}

  /** What an account used and paid in a month; of a closed month always the same. */
  @Get(':month')
  async show(
    @Req() { person }: SignedInRequest,
    @Param('month') month: string,
    @Query({ schema: statementQuery }) { account_id, format }: z.infer<typeof statementQuery>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Statement | string> {
    const accountId =
      account_id !== undefined && keepsBooks(person) ? account_id : accountFor(person, account_id);
    if (!monthSchema.safeParse(month).success)
      throw httpError(400, 'month must be a month such as "2026-11".', 'month');
    const statement = await this.#statement(accountId, month);
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
    try {
      return await statementOf(this.database, accountId, month);
    } catch (error) {
      if (error instanceof NoStatement) throw httpError(404, error.message, 'month');
      throw error;
    }
  }
}
