import type { UsageLine } from '@tollgate/contracts';
import { column, hasRows, readRow, requireRow } from '@tollgate/platform';
import { type Counts, METER_KINDS } from '@tollgate/vocabulary';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { requireAttached } from '../usage/detached-months.ts';
import { METER_COLUMNS } from '../usage/meter-columns.ts';
import { storedLines } from '../usage/usage-lines.ts';

/** Which usage is read, by the moments it is booked at. */
export interface UsageRange {
  readonly from: string;
  readonly to: string;
  readonly accountId?: string | undefined;
  readonly model?: string | undefined;
}

/** A request as it was booked. */
export interface BookedUsage {
  readonly accountId: string;
  readonly group: string;
  readonly model: string;
  readonly version: number;
  readonly lines: readonly UsageLine[];
  /** Over all lines. */
  readonly counts: Counts;
  readonly costPico: bigint;
}

/** One state of the usage log, while it is open. */
export interface UsageReading {
  /** How many rows there are. */
  count(): Promise<number>;
  rows(): AsyncIterable<BookedUsage>;
}

const ROWS_A_FETCH = 1_000;
/** Values stay the text that PostgreSQL sends. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };
const COLUMNS = [
  'account_id',
  'group_name',
  'model',
  'snapshot_version',
  'cost_pico',
  'lines',
  ...METER_COLUMNS,
];

const backendRow = z.object({ pid: column.int });
const countRow = z.object({ count: column.bigint });

/**
 * Reads usage within one read-only transaction, so that whatever is posted meanwhile is not seen; a page at a time,
 * so that memory does not grow with the range. When `signal` is aborted, what the database is doing is cancelled.
 *
 * @throws HttpException 409 where usage of the range was taken out of the log.
 */
export async function* readUsage<T>(
  database: DataSource,
  range: UsageRange,
  signal: AbortSignal,
  use: (reading: UsageReading) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const runner = database.createQueryRunner();
  let cancelled: Promise<unknown> = Promise.resolve();
  let cancel: (() => void) | undefined;
  let done = false;
  try {
    const client: unknown = await runner.connect();
    if (!(client instanceof pg.Client)) throw new Error('usage is read over a connection of pg');
    await runner.startTransaction('REPEATABLE READ');
    await requireAttached(runner, range);
    const backend = await readRow(runner, backendRow, 'SELECT pg_backend_pid() AS pid');
    await runner.query('SET TRANSACTION READ ONLY');
    await runner.query('SET LOCAL statement_timeout = 0');
    cancel = () => {
      cancelled = hasRows(database, 'SELECT pg_cancel_backend($1)', [backend?.pid]).catch(() => undefined);
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    yield* use(readingOf(client, range, signal));
    done = true;
  } finally {
    if (cancel) signal.removeEventListener('abort', cancel);
    // Whoever reads may have left before the end: the query that is still running would hold the rollback up.
    if (!done) cancel?.();
    await cancelled;
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

function readingOf(client: pg.Client, range: UsageRange, signal: AbortSignal): UsageReading {
  const { condition, values } = conditionOf(range);
  return {
    async count() {
      const { count } = await requireRow(
        client,
        countRow,
        `SELECT count(*) FROM billing.usage WHERE ${condition}`,
        values,
      );
      return Number(count);
    },
    async *rows() {
      const stream = client.query(
        new QueryStream(`SELECT ${COLUMNS.join(', ')} FROM billing.usage WHERE ${condition}`, values, {
          batchSize: ROWS_A_FETCH,
          rowMode: 'array',
          types: AS_TEXT,
        }),
      );
      for await (const row of stream) {
        signal.throwIfAborted();
        yield usageOf(row as (string | null)[]);
      }
    },
  };
}

function conditionOf({ from, to, accountId, model }: UsageRange): { condition: string; values: unknown[] } {
  const values: unknown[] = [from, to];
  // Nothing is booked before it occurred: the last condition spares the partitions of later months.
  const conditions = ['booked_at >= $1', 'booked_at < $2', 'occurred_at < $2'];
  if (accountId !== undefined) conditions.push(`account_id = $${values.push(accountId)}`);
  if (model !== undefined) conditions.push(`model = $${values.push(model)}`);
  return { condition: conditions.join(' AND '), values };
}

function usageOf(row: readonly (string | null)[]): BookedUsage {
  const [accountId, group, model, version, cost, stored = null] = row as [
    ...[string, string, string, string, string],
    string | null,
  ];
  const counts: Counts = {};
  METER_KINDS.forEach((kind, index) => {
    const count = row[index + 6];
    if (count !== '0') counts[kind] = Number(count);
  });
  const lines = stored === null ? [{ model, counts }] : storedLines.parse(JSON.parse(stored));
  return { accountId, group, model, version: Number(version), lines, counts, costPico: BigInt(cost) };
}
