import { column, readAtScrape, type Reading, readRows } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const valueRow = z.object({ value: column.float });

/** What Prometheus is told of usage that was set aside, by the database: every process says the same. */
export function serveReviewMetrics(metrics: Registry, database: Pick<DataSource, 'query'>): void {
  readAtScrape(
    metrics,
    {
      kind: 'gauge',
      name: 'tollgate_usage_reviews_open',
      help: 'Requests whose upstream reported more than they can have had, and that nobody has decided about',
    },
    async () => {
      const rows = await readRows(
        database,
        valueRow,
        `SELECT count(*)::float8 AS value FROM billing.usage_review WHERE status = 'open'`,
      );
      return rows.map(({ value }): Reading<never> => [{}, value]);
    },
  );
}
