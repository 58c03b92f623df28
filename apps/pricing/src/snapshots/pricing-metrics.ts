import { column, readAtScrape, type Reading, readRows } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const valueRow = z.object({ value: column.float.nullable() });

/** What Prometheus is told of the versions of the catalogue, by the database that holds them. */
export function servePricingMetrics(metrics: Registry, database: Pick<DataSource, 'query'>): void {
  const gauge = (name: string, help: string, sql: string): void =>
    readAtScrape(metrics, { kind: 'gauge', name, help }, async () => {
      const rows = await readRows(database, valueRow, sql);
      return rows.flatMap(({ value }): Reading<never>[] => (value === null ? [] : [[{}, value]]));
    });
  gauge(
    'tollgate_pricing_version',
    'The newest published version of the catalogue',
    'SELECT max(version)::float8 AS value FROM pricing.snapshot',
  );
  gauge(
    'tollgate_pricing_published_timestamp_seconds',
    'When it was published, in Unix time',
    'SELECT extract(epoch FROM max(published_at))::float8 AS value FROM pricing.snapshot',
  );
  gauge(
    'tollgate_pricing_drafts_overdue',
    'Scheduled drafts that should have been published more than a minute ago',
    `SELECT count(*)::float8 AS value FROM pricing.draft
     WHERE status = 'scheduled' AND effective_at < clock_timestamp() - interval '1 minute'`,
  );
  gauge(
    'tollgate_pricing_drafts_failed',
    'Scheduled drafts that could not be published on their day and that nobody has fixed since',
    `SELECT count(*)::float8 AS value FROM pricing.draft WHERE status = 'failed'`,
  );
}
