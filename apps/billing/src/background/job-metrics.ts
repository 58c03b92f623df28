import { column, readAtScrape, type Reading, readRows } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const valueRow = z.object({ value: column.float });
const stateRow = z.object({ state: z.enum(['starting', 'running']), value: column.float });

/** What Prometheus is told of answers that go on after their requests, by the database: every process says the same. */
export function serveJobMetrics(metrics: Registry, database: Pick<DataSource, 'query'>): void {
  const gauge = (name: string, help: string, sql: string): void =>
    readAtScrape(metrics, { kind: 'gauge', name, help }, async () =>
      (await readRows(database, valueRow, sql)).map(({ value }): Reading<never> => [{}, value]),
    );
  readAtScrape(
    metrics,
    {
      kind: 'gauge',
      name: 'tollgate_background_jobs_open',
      help: 'Answers that go on after their requests: `starting` until their upstream has taken them, then `running`',
      labelNames: ['state'],
    },
    async () => {
      const rows = await readRows(
        database,
        stateRow,
        `SELECT known.state, count(j.request_id)::float8 AS value FROM unnest(ARRAY['starting', 'running']) AS known (state)
         LEFT JOIN billing.background_job j ON j.state = known.state AND j.state <> 'ended' GROUP BY 1`,
      );
      return rows.map(({ state, value }): Reading<'state'> => [{ state }, value]);
    },
  );
  gauge(
    'tollgate_background_jobs_oldest_seconds',
    'Since the oldest of them began; 0 where there is none',
    `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS value
     FROM billing.background_job WHERE state <> 'ended'`,
  );
  gauge(
    'tollgate_background_jobs_overdue_seconds',
    'For how long the one that waits longest should have been asked for, and told; 0 where none is due',
    `SELECT greatest(0, coalesce(extract(epoch FROM now() - min(poll_at)), 0))::float8 AS value
     FROM billing.background_job WHERE state = 'running'`,
  );
  gauge(
    'tollgate_background_jobs_lost',
    'Those of the last hour that their upstreams had forgotten, or never told the end of: nobody was charged',
    `SELECT count(*)::float8 AS value FROM billing.background_job
     WHERE state = 'ended' AND status = 'expired' AND ended_at > now() - interval '1 hour'`,
  );
}
