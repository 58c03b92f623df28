// A page of an export waits in the database behind a lock that the test holds, while two thirds of a lease goes by, again and again. What
// the test asks for meanwhile is what another billing asks for each second.
import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { startBillingOn } from '../../testing/billing-service.ts';
import { askExport, ended } from '../../testing/exports.ts';
import { signIn } from '../../testing/people.ts';
import { fillSyntheticLedger, syntheticSpan } from '../../testing/synthetic-ledger.ts';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { leaseExport } from './export-leases.ts';

const ROWS = 100;
const LEASE_S = 60;
/** What goes by at once: so much less than a lease that a machine that stands still does not make up the rest. */
const GONE_S = 40;

let environment: TestEnvironment;
let directory: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await fillSyntheticLedger(environment.database, ROWS);
  directory = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
}, 120_000);
afterAll(async () => {
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Job {
  readonly claimed_by: string;
  readonly attempts: number;
  /** From when it was taken to when its writer was heard of last. */
  readonly heard_s: number;
  readonly silent_s: number;
}

const readJob = async (id: string): Promise<Job | undefined> => {
  const [job]: Job[] = await environment.database.query(
    `SELECT claimed_by, attempts, extract(epoch FROM heartbeat_at - claimed_at)::float8 AS heard_s,
       extract(epoch FROM now() - heartbeat_at)::float8 AS silent_s FROM billing.export_job WHERE id = $1`,
    [id],
  );
  return job;
};

const letTimeGoBy = (id: string): Promise<unknown> =>
  environment.database.query(
    `UPDATE billing.export_job SET claimed_at = claimed_at - make_interval(secs => $2),
       heartbeat_at = heartbeat_at - make_interval(secs => $2) WHERE id = $1`,
    [id, GONE_S],
  );

const isPageWaiting = async (): Promise<boolean> => {
  const waiting: unknown[] = await environment.database.query(
    `SELECT FROM pg_stat_activity WHERE application_name = 'tollgate-billing-exports'
       AND wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return waiting.length > 0;
};

test('an export whose page takes longer than its lease stays with its billing, and is written once', async () => {
  const billing = await startBillingOn(environment, {
    EXPORT_DIR: directory,
    EXPORT_LEASE_S: String(LEASE_S),
  });
  try {
    const owner = { url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') };
    let id = '';
    let first: Job | undefined;
    await environment.database.transaction(async (manager) => {
      await manager.query('LOCK TABLE billing.ledger_entry IN ACCESS EXCLUSIVE MODE');
      ({ id } = await askExport(owner, { kind: 'ledger', format: 'csv', ...syntheticSpan(ROWS) }));
      await waitFor(isPageWaiting, 'the page', 60_000);
      first = await readJob(id);
      for (let times = 0; times < 3; times += 1) {
        await letTimeGoBy(id);
        await waitFor(async () => {
          expect(await leaseExport(environment.database, LEASE_S)).toBeUndefined();
          return ((await readJob(id))?.silent_s ?? GONE_S) < GONE_S;
        }, 'its writer to be heard of');
      }
      const kept = await readJob(id);
      expect(kept).toMatchObject({ claimed_by: first?.claimed_by, attempts: 1 });
      expect(kept?.heard_s).toBeGreaterThan(LEASE_S);
    });
    expect(await ended(owner, id)).toMatchObject({ status: 'done', rows: { done: expect.any(Number) } });
    expect(await readJob(id)).toMatchObject({ attempts: 1 });
  } finally {
    await billing.stop();
  }
}, 180_000);
