import { isReady, type RunningProcess, type RunningStack, waitFor } from '@tollgate/harness';
import pg from 'pg';

const STARTED_WITHIN_MS = 5_000;
const AIMED_FOR_MS = 1_000;

/** Two batches that have taken their numbers and are not committed, each of which holds the lock of its last number. */
const TWO_BATCHES = `SELECT count(DISTINCT pid) > 1 AS is_now FROM pg_locks, pg_database d
  WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND database = d.oid AND datname = current_database()
    AND (classid::bigint << 32) + objid::bigint >= billing.journal_lock(0)`;
const JOURNAL = 'SELECT last_number FROM billing.journal';

/** Ends billings at once, as the kernel would that has no memory left, and answers when they are on their way again. */
type CrashBillings = (...names: readonly string[]) => Promise<void>;

/**
 * Every third time is while two batches have their numbers, so that one may leave a gap before the other; every third as a
 * batch is committed, so that what comes again is there already; else it is any moment. Whoever was killed before is let start
 * first.
 */
export function createBillingCrash(stack: RunningStack): CrashBillings {
  let times = 0;
  return async (...names) => {
    const services = names.map((name) => {
      const service = stack.services.get(name);
      if (!service) throw new Error(`there is no service ${name}`);
      return service;
    });
    for (const { url } of services)
      await waitFor(() => isReady(url), url, STARTED_WITHIN_MS, 20).catch(() => {});
    const comes = MOMENTS[(times += 1) % MOMENTS.length];
    if (comes) await waitForMoment(stack.databaseUrl, comes).catch(() => {});
    await Promise.all(services.map(({ process }) => crash(process)));
  };
}

type Ask = (sql: string) => Promise<unknown>;

/** What must come before billings are killed; undefined where nothing must. */
const MOMENTS: readonly (((ask: Ask) => Promise<() => Promise<boolean>>) | undefined)[] = [
  undefined,
  async (ask) => async () => (await ask(TWO_BATCHES)) === true,
  async (ask) => {
    const last = await ask(JOURNAL);
    return async () => (await ask(JOURNAL)) !== last;
  },
];

async function waitForMoment(
  databaseUrl: string,
  comes: NonNullable<(typeof MOMENTS)[number]>,
): Promise<void> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  try {
    const hasCome = await comes(async (sql) => Object.values((await client.query(sql)).rows[0] ?? {})[0]);
    await waitFor(hasCome, 'the moment', AIMED_FOR_MS, 1);
  } finally {
    await client.end();
  }
}

/** Starts it at once: who crashes often is else kept waiting for seconds. */
async function crash(service: RunningProcess): Promise<void> {
  const pid = service.pid();
  service.kill();
  await waitFor(() => hasEnded(pid), `the end of ${service.name}`, STARTED_WITHIN_MS, 5);
  if (service.pid() === pid) service.start();
}

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
