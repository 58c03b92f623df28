import { audit } from '../audit-log/audit.ts';
import type { Readable } from 'node:stream';
import { type AnswerOf, reconciliations } from '@tollgate/api';
import { formatUsd, parseRatio } from '@tollgate/money';
import { column, readRow, readRows } from '@tollgate/platform';
import { COMPARISON_STATUSES, type InvoiceColumn } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';
import {
  compare,
  type Compared,
  type ComparedRow,
  type Differences,
  FIGURES,
  type Figures,
} from './compare.ts';
import { refuseDropped, ourLostAttempts, ourUsage } from './our-usage.ts';
import { InvoiceError, readInvoice } from './read-invoice.ts';

/** What an invoice is compared with, and how. */
interface ReconciliationParams {
  readonly upstream: string;
  /** In which the upstream's days begin. */
  readonly timeZone: string;
  /** The file's own names of columns. */
  readonly columns: Partial<Record<InvoiceColumn, string>>;
  readonly tolerancePercent: string;
  readonly inputIncludesCached: boolean;
  /** The days that the invoice is about; without them from its first to its last line. */
  readonly firstDay?: string | undefined;
  readonly lastDay?: string | undefined;
}

type Reconciliation = AnswerOf<typeof reconciliations.listReconciliations>['items'][number];
type WholeReconciliation = AnswerOf<typeof reconciliations.getReconciliation>;

const journalRow = z.object({ last_number: column.bigint });

/**
 * Compares an upstream's invoice with our own usage log and keeps the result.
 *
 * @throws InvoiceError
 * @throws HttpException 409 for days whose requests were dropped.
 */
export async function reconcile(
  database: DataSource,
  actor: string,
  params: ReconciliationParams,
  file: Readable,
): Promise<WholeReconciliation> {
  const invoice = await readInvoice(file, params.columns);
  const [firstDay, lastDay] = daysOf(
    params,
    invoice.rows.map(({ day }) => day),
  );
  const id = uuidv7();
  await database.transaction('REPEATABLE READ', async (manager) => {
    const journal = await readRow(manager, journalRow, 'SELECT last_number FROM billing.journal');
    const asOf = Number(journal?.last_number);
    await refuseDropped(manager, { ...params, firstDay, lastDay });
    const ours = await ourUsage(manager, { ...params, firstDay, lastDay, asOf });
    const lost = await ourLostAttempts(manager, { ...params, firstDay, lastDay, asOf });
    const { rows, totals } = compare(ours, invoice.rows, parseRatio(params.tolerancePercent));
    const counts = Object.fromEntries(
      COMPARISON_STATUSES.map((status) => [status, rows.filter((row) => row.status === status).length]),
    );
    const parameters = {
      columns: params.columns,
      tolerance_percent: params.tolerancePercent,
      input_includes_cached: params.inputIncludesCached,
      lines: invoice.lines,
    };
    await manager.query(
      `INSERT INTO billing.reconciliation (id, actor, upstream, time_zone, first_day, last_day, file_sha256,
         file_bytes, as_of_number, parameters, summary, rows)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        id,
        actor,
        params.upstream,
        params.timeZone,
        firstDay,
        lastDay,
        invoice.sha256,
        invoice.bytes,
        asOf,
        JSON.stringify(parameters),
        JSON.stringify({
          rows: counts,
          totals: shownSides(totals),
          lost_attempts: { attempts: lost.attempts, amount_usd: formatUsd(lost.amountPico) },
        }),
        JSON.stringify(rows.map(shownRow)),
      ],
    );
    await audit(manager, {
      action: 'reconciliation.create',
      object: `reconciliation ${id}`,
      actor: { email: actor },
      after: {
        upstream: params.upstream,
        first_day: firstDay,
        last_day: lastDay,
        file_sha256: invoice.sha256,
      },
    });
  });
  const kept = await findReconciliation(database, id);
  if (!kept) throw new Error(`reconciliation ${id} is not there`);
  return kept;
}

function daysOf({ firstDay, lastDay }: ReconciliationParams, days: readonly string[]): [string, string] {
  const sorted = [...days].sort();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  if ((firstDay !== undefined && first < firstDay) || (lastDay !== undefined && last > lastDay))
    throw new InvoiceError(
      `The file goes from ${first} to ${last}, which is outside of first_day to last_day.`,
      'invoice_outside_days',
      { first, last },
    );
  return [firstDay ?? first, lastDay ?? last];
}

const shownRow = ({ day, model, status, ...sides }: ComparedRow) => ({
  day,
  model,
  status,
  ...shownSides(sides),
});

const shownSides = ({ ours, theirs, difference, requests_of_unknown_cost }: Compared) => ({
  ours: ours && shownFigures(ours),
  theirs: theirs && shownFigures(theirs),
  difference: shownFigures(difference),
  requests_of_unknown_cost: Number(requests_of_unknown_cost),
});

const shownFigures = (figures: Figures | Differences) =>
  Object.fromEntries(
    FIGURES.map((figure) => {
      const value = figures[figure];
      if (figure === 'amount_pico') return ['amount_usd', value === null ? null : formatUsd(value)];
      return [figure, value === null ? null : Number(value)];
    }),
  );

const SUMMARY = `id, created_at, actor, upstream, time_zone, to_char(first_day, 'YYYY-MM-DD') AS first_day,
  to_char(last_day, 'YYYY-MM-DD') AS last_day, file_sha256, file_bytes::float8 AS file_bytes,
  as_of_number::float8 AS as_of_number, parameters, summary`;

const { parameters, summary, rows } = reconciliations.getReconciliation.answer.shape;
const summaryRow = z.object({
  id: column.uuid,
  created_at: column.timestamp,
  actor: column.text,
  upstream: column.text,
  time_zone: column.text,
  first_day: column.text,
  last_day: column.text,
  file_sha256: column.text,
  file_bytes: column.float,
  as_of_number: column.float,
  parameters,
  summary,
});
const reconciliationRow = summaryRow.extend({ rows });

const shown = <R extends z.infer<typeof summaryRow>>({ created_at, ...row }: R) => ({
  ...row,
  created_at: created_at.toISOString(),
});

/** What was compared so far, newest first, without the rows. */
export async function listReconciliations(
  database: DataSource,
  { upstream, limit, offset }: { upstream?: string | undefined; limit: number; offset: number },
): Promise<Reconciliation[]> {
  const found = await readRows(
    database,
    summaryRow,
    `SELECT ${SUMMARY} FROM billing.reconciliation WHERE $1::text IS NULL OR upstream = $1
     ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
    [upstream ?? null, limit, offset],
  );
  return found.map(shown);
}

/** One of them with its rows. */
export async function findReconciliation(
  database: DataSource,
  id: string,
): Promise<WholeReconciliation | undefined> {
  const row = await readRow(
    database,
    reconciliationRow,
    `SELECT ${SUMMARY}, rows FROM billing.reconciliation WHERE id = $1`,
    [id],
  );
  return row && shown(row);
}
