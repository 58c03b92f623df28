import { setTimeout as sleep } from 'node:timers/promises';
import { column, requireRow, type SqlRunner } from '@tollgate/platform/sql';
import { z } from 'zod';

/** A replica that is further behind than this is not waited for. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

/** A replica does not have what is asked for. */
class ReplicaBehind extends Error {
  override readonly name = 'ReplicaBehind';
}

const journalRow = z.object({ last_number: column.bigint, is_there: column.boolean });

/**
 * Waits until a replica has the journal up to a watermark: it never changes behind that, so what is read there is what
 * the primary has.
 *
 * @param there a row that must have come as well, where one is named.
 * @throws ReplicaBehind
 */
export async function waitForReplica(
  replica: SqlRunner,
  watermark: number,
  there: { readonly exportId: string } | undefined = undefined,
  waitMs = WAIT_MS,
): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    const { last_number, is_there } = await requireRow(
      replica,
      journalRow,
      `SELECT last_number, $1::uuid IS NULL OR EXISTS (SELECT FROM billing.export_job WHERE id = $1) AS is_there
       FROM billing.journal`,
      [there?.exportId ?? null],
    );
    if (Number(last_number) >= watermark && is_there) return;
    if (performance.now() > until)
      throw new ReplicaBehind(
        `the replica has the journal up to ${last_number}, and ${watermark} is wanted: look at its replication`,
      );
    await sleep(POLL_MS);
  }
}
