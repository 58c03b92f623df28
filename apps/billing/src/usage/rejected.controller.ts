import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Allow, column, httpError, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { SignedInGuard } from '../auth/signed-in.guard.ts';
import { DATABASE, USAGE_BOOKS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import type { UsageBooks } from './usage-books.ts';
import { tryAgain } from './waiting-usage.ts';

const rejectedQuery = z.object({
  state: z
    .enum(['rejected', 'waiting'])
    .optional()
    .meta({ description: '`waiting` is tried again by itself; both without it' }),
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .meta({ description: '`next` of the page before', examples: ['1042'] }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const rejectedRow = z.object({
  id: column.bigint,
  state: z.enum(['rejected', 'waiting']),
  rejected_at: column.timestamp,
  request_id: column.text.nullable(),
  reason: column.text,
  tries: column.int,
  next_try_at: column.timestamp,
  event: z.unknown(),
});
type Row = z.infer<typeof rejectedRow>;

/** Usage that is kept and not booked, and its way back into the books. */
@Controller('api/usage/rejected')
@UseGuards(SignedInGuard)
export class RejectedController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(USAGE_BOOKS) private readonly books: UsageBooks,
  ) {}

  /** The newest first, each with the event as its gateway sent it. */
  @Get()
  @Allow('ledger:read-all')
  @UseInterceptors(ReportTurn)
  async list(
    @Query({ schema: rejectedQuery }) { state, cursor, limit }: z.infer<typeof rejectedQuery>,
  ): Promise<object> {
    const rows = await readRows(
      this.database,
      rejectedRow,
      `SELECT * FROM billing.usage_rejected
       WHERE ($1::text IS NULL OR state = $1) AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [state ?? null, cursor ?? null, limit + 1],
    );
    const items = rows.slice(0, limit);
    return { items: items.map(shown), next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  /** Posts an event once what it lacked is there, such as its version of the catalogue. It is posted once, however often. */
  @Post(':id/retry')
  @Allow('ledger:write')
  @HttpCode(200)
  async retry(@Param('id') id: string): Promise<object> {
    const row = await this.#find(id);
    if (!row) throw httpError(404, 'There is no such event: it may be in the books by now.', 'id');
    await tryAgain(this.database, this.books, [row]);
    const left = await this.#find(id);
    await audit(this.database, {
      action: 'usage.retry',
      object: `usage ${row.request_id ?? id}`,
      after: { posted: left === undefined, reason: left?.reason ?? null },
    });
    if (left) throw httpError(409, `It cannot be posted yet: ${left.reason}`, 'id');
    return { id, request_id: row.request_id, posted: true };
  }

  async #find(id: string): Promise<Row | undefined> {
    if (!/^\d{1,18}$/.test(id)) return undefined;
    const rows = await readRows(
      this.database,
      rejectedRow,
      'SELECT * FROM billing.usage_rejected WHERE id = $1',
      [id],
    );
    return rows[0];
  }
}

const shown = ({ id, state, rejected_at, request_id, reason, tries, next_try_at, event }: Row): object => ({
  id,
  state,
  rejected_at: rejected_at.toISOString(),
  request_id,
  reason,
  tries,
  next_try_at: state === 'waiting' ? next_try_at.toISOString() : null,
  event,
});
