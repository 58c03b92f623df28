import { column, type Logger, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { runVerification } from './run-verification.ts';
import { listUnsealed, sealPeriods, StillSealing } from './seal-periods.ts';

const LOOK_MS = 5_000;

export interface PeriodWork {
  /** Looks for work now, not only at the next turn. */
  wake(): void;
  /** Leaves the work in hand to whoever is next. */
  stop(): Promise<void>;
}

const idRow = z.object({ id: column.uuid });

/**
 * Seals closed months and runs verifications, those of whoever was killed in the middle as well: how far each is stands in
 * the database. Replicas share the work.
 */
export function startPeriodWork({
  database,
  logger,
}: {
  readonly database: DataSource;
  readonly logger: Logger;
}): PeriodWork {
  const ending = new AbortController();
  const { signal } = ending;
  let [running, isAskedFor]: [Promise<void> | undefined, boolean] = [undefined, false];

  async function attempt(what: object, work: () => Promise<unknown>): Promise<void> {
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (error instanceof StillSealing) return;
      logger.warn(
        { event: 'period_work_failed', ...what, reason: (error as Error).message },
        'a month could not be sealed or verified, and is tried again',
      );
    }
  }
  async function look(): Promise<void> {
    const unsealed = await listUnsealed(database);
    for (const account_id of new Set(unsealed.map((each) => each.account_id)))
      await attempt({ account_id }, () => sealPeriods(database, account_id, { signal, isPatient: false }));
    const asked = await readRows(
      database,
      idRow,
      `SELECT id FROM billing.verification WHERE kind = 'periods' AND ended_at IS NULL ORDER BY started_at`,
    );
    for (const { id } of asked)
      await attempt({ verification: id }, () => runVerification(database, id, { signal }));
  }
  function wake(): void {
    isAskedFor = true;
    if (running || signal.aborted) return;
    isAskedFor = false;
    running = attempt({}, look).finally(() => {
      running = undefined;
      if (isAskedFor) wake();
    });
  }

  const timer = setInterval(wake, LOOK_MS);
  wake();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}
