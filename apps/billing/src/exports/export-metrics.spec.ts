import { createMetrics } from '@tollgate/platform';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { serveExportMetrics } from './export-metrics.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

/** An export that ended so, so many hours ago. */
const ended = (status: string, hoursAgo: number): Promise<unknown> =>
  environment.database.query(
    `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
       provider_name, requested_by, status, finished_at)
     VALUES (gen_random_uuid(), 'usage', 'csv', 'books', '2026-11-01', '2026-12-01', 0, 100, 'Tollgate',
       'owner@billing.example', $1, now() - make_interval(hours => $2))`,
    [status, hoursAgo],
  );

test('an export that was given up counts for a day, and no other one does', async () => {
  const metrics = createMetrics('billing');
  serveExportMetrics(metrics, environment.database);
  const shown = () => metrics.getSingleMetricAsString('tollgate_exports_failed');
  expect(await shown()).toMatch(/^tollgate_exports_failed\S* 0$/m);
  for (const [status, hoursAgo] of [
    ['failed', 0],
    ['failed', 23],
    ['failed', 25],
    ['done', 0],
    ['cancelled', 0],
  ] as const)
    await ended(status, hoursAgo);
  expect(await shown()).toMatch(/^tollgate_exports_failed\S* 2$/m);
});
