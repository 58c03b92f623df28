import { Readable } from 'node:stream';
import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { reconciliations, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input, toHttpException } from '@tollgate/platform';
import { INVOICE_COLUMNS, type InvoiceColumn } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { isTimeZone } from './our-usage.ts';
import { InvoiceError } from './read-invoice.ts';
import { findReconciliation, listReconciliations, reconcile } from './reconciliations.ts';

type ReconcileRequest = RequestOf<typeof reconciliations.reconcile>;

@Controller()
export class ReconciliationController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** Compares an upstream's invoice, a CSV file, with our usage log, model by model and day by day. */
  @Handles(reconciliations.reconcile)
  @UseInterceptors(ReportTurn)
  async create(@Input() { query, body }: ReconcileRequest, @Caller() caller: Session) {
    if (query.upstream === undefined)
      throw httpError(
        400,
        'upstream: say whose invoice this is by ?upstream=….',
        'upstream',
        'field_missing',
        {},
      );
    if (!(await isTimeZone(this.database.manager, query.time_zone)))
      throw httpError(
        400,
        'time_zone: must be an IANA name such as "Europe/Berlin".',
        'time_zone',
        'unknown_time_zone',
      );
    const params = {
      upstream: query.upstream,
      timeZone: query.time_zone,
      tolerancePercent: query.tolerance_percent,
      inputIncludesCached: query.input_includes_cached === 'true',
      firstDay: query.first_day,
      lastDay: query.last_day,
      columns: headersOf(query),
    };
    const file = body instanceof Readable ? body : Readable.from([]);
    try {
      return await reconcile(this.database, caller.email, params, file);
    } catch (error) {
      if (error instanceof InvoiceError)
        throw toHttpException(error.status, error.message, null, error.code, error.values);
      throw error;
    }
  }

  @Handles(reconciliations.listReconciliations)
  async list(@Input() { query }: RequestOf<typeof reconciliations.listReconciliations>) {
    return { items: await listReconciliations(this.database, query) };
  }

  @Handles(reconciliations.getReconciliation)
  async show(@Input() { params }: RequestOf<typeof reconciliations.getReconciliation>) {
    const found = await findReconciliation(this.database, params.id);
    if (!found) throw httpError(404, 'There is no such reconciliation.', 'id', 'not_found');
    return found;
  }
}

function headersOf(query: ReconcileRequest['query']): Partial<Record<InvoiceColumn, string>> {
  const headers: Partial<Record<InvoiceColumn, string>> = {};
  for (const column of INVOICE_COLUMNS) {
    const name = query[`column.${column}`];
    if (name !== undefined) headers[column] = name;
  }
  return headers;
}
