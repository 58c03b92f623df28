import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { rejected, type RequestOf } from '@tollgate/api';
import { column, Handles, httpError, Input, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { DATABASE, USAGE_BOOKS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import type { UsageBooks } from './usage-books.ts';
import { tryAgain } from './waiting-usage.ts';

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
@Controller()
export class RejectedController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(USAGE_BOOKS) private readonly books: UsageBooks,
  ) {}

  @Handles(rejected.listRejectedUsage)
  @UseInterceptors(ReportTurn)
  async list(@Input() { query }: RequestOf<typeof rejected.listRejectedUsage>) {
    const { state, cursor, limit } = query;
    const rows = await readRows(
      this.database,
      rejectedRow,
      `SELECT * FROM billing.usage_rejected
       WHERE ($1::text IS NULL OR state = $1) AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [state ?? null, cursor ?? null, limit + 1],
    );
    const items = rows.slice(0, limit);
    return { items: items.map(showRejected), next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @Handles(rejected.retryRejectedUsage)
  async retry(@Input() { params }: RequestOf<typeof rejected.retryRejectedUsage>) {
    const { id } = params;
    const row = await this.#find(id);
    if (!row)
      throw httpError(404, 'There is no such event: it may be in the books by now.', 'id', 'not_found');
    await tryAgain(this.database, this.books, [row]);
    const left = await this.#find(id);
    await audit(this.database, {
      action: 'usage.retry',
      object: `usage ${row.request_id ?? id}`,
      after: { posted: left === undefined, reason: left?.reason ?? null },
    });
    if (left)
      throw httpError(409, `It cannot be posted yet: ${left.reason}`, 'id', 'not_postable', {
        reason: left.reason,
      });
    return { id, request_id: row.request_id, posted: true as const };
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

const showRejected = ({ id, state, rejected_at, request_id, reason, tries, next_try_at, event }: Row) => ({
  id,
  state,
  rejected_at: rejected_at.toISOString(),
  request_id,
  reason,
  tries,
  next_try_at: state === 'waiting' ? next_try_at.toISOString() : null,
  event,
});
