import { column, readAtScrape, type Reading, readRows } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const valueRow = z.object({ value: column.float });

/** What Prometheus is told of exports, by the database: one that was given up counts for a day, whoever wrote it. */
export function serveExportMetrics(metrics: Registry, database: Pick<DataSource, 'query'>): void {
  readAtScrape(
    metrics,
    {
      kind: 'gauge',
      name: 'tollgate_exports_failed',
      help: 'Exports that were given up in the last 24 hours',
    },
    async () => {
      const rows = await readRows(
        database,
        valueRow,
        `SELECT count(*)::float8 AS value FROM billing.export_job
         WHERE status = 'failed' AND finished_at > now() - interval '1 day'`,
      );
      return rows.map(({ value }): Reading<never> => [{}, value]);
    },
  );
}
