import { column, type Logger, readAtScrape, type Reading, readRows } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { lookUpPosted } from './posted-requests.ts';
import type { UsageBooks } from './usage-books.ts';

const EVERY_MS = 2_000;
/** What waits is tried after a few seconds, and from then on ever more rarely. */
const MAX_AT_ONCE = 500;

const unbookedRow = z.object({ state: z.enum(['waiting', 'rejected']), value: column.float });
const waitingRow = z.object({ id: column.bigint, event: z.unknown() });
type Row = z.infer<typeof waitingRow>;
/** An event that no release knows may be anything. */
const requestOf = z.object({ request_id: z.string().optional().catch(undefined) }).catch({});

/**
 * Tries to post kept events again, each for itself. One that is in the books leaves the table; of the others the new reason
 * stays, with when they are tried next. Safe while another drain runs: the books take a request once.
 *
 * @throws while the database or pricing is away; then nothing has changed but what was posted.
 */
export async function tryAgain(
  database: DataSource,
  books: Pick<UsageBooks, 'retry'>,
  rows: readonly Row[],
): Promise<void> {
  const unposted = await books.retry(rows.map(({ event }) => event));
  const ids = rows.map(({ id }) => id);
  const requestIds = rows.map(({ event }) => requestOf.parse(event).request_id);
  const { posted } = await lookUpPosted(
    database,
    requestIds.flatMap((requestId) => requestId ?? []),
  );
  await database.query('DELETE FROM billing.usage_rejected WHERE id = ANY($1::bigint[])', [
    ids.filter((_id, index) => posted.has(requestIds[index] ?? '')),
  ]);
  await database.query(
    `UPDATE billing.usage_rejected r SET tries = tries + 1, reason = coalesce(given.reason, r.reason),
       state = coalesce(given.state, r.state),
       next_try_at = now() + least(interval '5 minutes', interval '5 seconds' * 2 ^ least(tries, 10))
     FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (id, reason, state) WHERE r.id = given.id`,
    [
      ids,
      unposted.map((each) => each?.reason ?? null),
      unposted.map((each) => each && (each.waits ? 'waiting' : 'rejected')),
    ],
  );
}

/** Tries what waits again as its time comes. @returns what ends the rounds. */
export function startWaitingUsage(
  database: DataSource,
  books: Pick<UsageBooks, 'retry'>,
  logger: Logger,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const poll = async () => {
    const rows = await readRows(
      database,
      waitingRow,
      `SELECT id, event FROM billing.usage_rejected WHERE state = 'waiting' AND next_try_at <= now()
       ORDER BY next_try_at LIMIT ${MAX_AT_ONCE}`,
    );
    if (rows.length > 0) await tryAgain(database, books, rows);
  };
  const timer = setInterval(() => {
    running ??= poll()
      .catch((error: Error) =>
        logger.warn(
          { event: 'waiting_usage_retry_failed', reason: error.message },
          'usage that waits could not be tried again',
        ),
      )
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** What Prometheus is told of usage that is kept and not booked. */
export function serveUnbookedMetrics(metrics: Registry, database: Pick<DataSource, 'query'>): void {
  const read = (name: string, help: string, value: string) =>
    readAtScrape(metrics, { kind: 'gauge', name, help, labelNames: ['state'] }, async () => {
      const rows = await readRows(
        database,
        unbookedRow,
        `SELECT known.state, coalesce(${value}, 0)::float8 AS value FROM unnest(ARRAY['waiting', 'rejected']) AS known (state)
         LEFT JOIN billing.usage_rejected r USING (state) GROUP BY 1`,
      );
      return rows.map(({ state, value: found }): Reading<'state'> => [{ state }, found]);
    });
  read(
    'tollgate_usage_unbooked_events',
    'Usage events that are kept and not booked: `waiting` is tried again by itself, `rejected` when somebody asks for it',
    'count(r.id)',
  );
  read(
    'tollgate_usage_unbooked_oldest_seconds',
    'How long the oldest of them has been kept',
    'extract(epoch FROM now() - min(r.rejected_at))',
  );
}
