import { column, readRow, readRows } from '@tollgate/platform';
import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { periodsOverFor } from './calendar.ts';
import { closePeriod } from './close-period.ts';
import { sealPeriods, StillSealing } from './seal-periods.ts';

const LOCK = 7_302_006;
const EVERY_MS = 3_600_000;
const FIRST_AFTER_MS = 60_000;

/** Who closes what nobody closed by hand. */
export const AUTOMATIC = 'automatic';

interface Closing {
  readonly afterDays: number;
  /** Now by PostgreSQL's clock, where it is not given. */
  readonly at?: Date | undefined;
  readonly logger: Logger;
  /** Ends it; what is closed is sealed by whoever is next. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Closes every period that has been over for `afterDays`, all months up to there, and seals what an
 * interrupted closing left. Replicas take turns: while another one is at it, nothing is done. Answers what was closed.
 */
export async function closeDuePeriods(
  database: DataSource,
  { afterDays, at, logger, signal }: Closing,
): Promise<{ readonly accountId: string; readonly month: string }[]> {
  const runner = database.createQueryRunner();
  try {
    const row = await readRow(runner, lockRow, 'SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
    if (!row?.mine) return [];
    try {
      return await closeAll(database, { afterDays, at, logger, signal });
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    }
  } finally {
    await runner.release();
  }
}

const lockRow = z.object({ mine: column.boolean });
const unsealedRow = z.object({ account_id: column.uuid });

async function closeAll(
  database: DataSource,
  { afterDays, at, logger, signal }: Closing,
): Promise<{ accountId: string; month: string }[]> {
  const closed: { accountId: string; month: string }[] = [];
  const failed = new Set<string>();
  const attempt = async (accountId: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      failed.add(accountId);
      if (error instanceof StillSealing) return false;
      logger.error(
        { event: 'period_close_failed', err: error, account_id: accountId },
        'a period could not be closed',
      );
      return false;
    }
  };

  const unsealed = await readRows(
    database,
    unsealedRow,
    `SELECT DISTINCT account_id FROM billing.period p
     WHERE NOT EXISTS (SELECT FROM billing.period_seal s WHERE (s.account_id, s.month) = (p.account_id, p.month))`,
  );
  for (const { account_id } of unsealed)
    await attempt(account_id, () => sealPeriods(database, account_id, { signal }));

  const by = { actor: AUTOMATIC, reason: `over for ${afterDays} days` };
  const due = async () =>
    (await periodsOverFor(database.manager, afterDays, at)).filter(({ accountId }) => !failed.has(accountId));
  for (let periods = await due(); periods.length > 0; periods = await due())
    for (const { accountId, month } of periods) {
      if (signal?.aborted) return closed;
      if (await attempt(accountId, () => closePeriod(database, accountId, month, by, signal)))
        closed.push({ accountId, month });
    }
  return closed;
}

/** Looks every hour for periods to close. */
export function startPeriodCloser(parts: {
  readonly database: DataSource;
  readonly logger: Logger;
  /** Days that a period stays open after its end; `never` leaves closing to people. */
  readonly afterDays: number | 'never';
}): { close(): Promise<void> } {
  const { database, logger, afterDays } = parts;
  if (afterDays === 'never') return { close: () => Promise.resolve() };
  const ending = new AbortController();
  const { signal } = ending;
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    try {
      const closed = await closeDuePeriods(database, { afterDays, logger, signal });
      if (closed.length > 0)
        logger.info({ event: 'periods_closed', periods: closed.length }, 'periods are closed');
    } catch (error) {
      logger.error(
        { event: 'period_lookup_failed', err: error },
        'periods that are due could not be looked for',
      );
    }
  };
  const start = () => (running = running.then(run));
  const first = setTimeout(start, FIRST_AFTER_MS);
  const later = setInterval(start, EVERY_MS);
  first.unref();
  later.unref();
  return {
    async close() {
      clearTimeout(first);
      clearInterval(later);
      ending.abort();
      await running;
    },
  };
}
