import { column, type Logger, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { listOpenDrops, runDrop } from '../usage/drop-partition.ts';
import { type ResumedWork, startResumedWork } from './resumed-work.ts';
import { runVerification } from './run-verification.ts';
import { listUnsealed, sealPeriods, StillSealing } from './seal-periods.ts';

const idRow = z.object({ id: column.uuid });

/** Seals closed months, runs verifications, and drops months of the usage log: how far each is stands in the database. */
export const startPeriodWork = ({
  database,
  logger,
}: {
  readonly database: DataSource;
  readonly logger: Logger;
}): ResumedWork =>
  startResumedWork({
    failed: (what, reason) =>
      logger.warn(
        { event: 'period_work_failed', ...what, reason },
        'a month could not be sealed, verified or dropped, and is tried again',
      ),
    async look(signal, attempt) {
      const unsealed = await listUnsealed(database);
      for (const account_id of new Set(unsealed.map((each) => each.account_id)))
        await attempt({ account_id }, () =>
          sealPeriods(database, account_id, { signal, isPatient: false }).catch((error: unknown) => {
            if (!(error instanceof StillSealing)) throw error;
          }),
        );
      const asked = await readRows(
        database,
        idRow,
        `SELECT id FROM billing.verification WHERE kind = 'periods' AND ended_at IS NULL ORDER BY started_at`,
      );
      for (const { id } of asked)
        await attempt({ verification: id }, () => runVerification(database, id, { signal }));
      for (const month of await listOpenDrops(database))
        await attempt({ month }, () => runDrop(database, month, { signal }));
    },
  });
